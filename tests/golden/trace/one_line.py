# f(3) == 9
a = 1; b = 2; a = a + b
def f(n): x = n; x += a; return x + b + 1
for i in range(2): a += 1; a -= 1
if a: c = 1; d = 2
while c: c -= 1; d += 1
try: e = 1 // 0
except ZeroDivisionError: e = 0
class K: u = 1; v = u + 1
