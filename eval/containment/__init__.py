"""The first containment measurement: injected faults, recorded evidence, no model; is the owner in the scope?"""
