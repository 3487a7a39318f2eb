"""Study: programs that models really wrote, put through acceptance and assembly under several ownership maps."""
