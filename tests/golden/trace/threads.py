# f(3) == [0, 1, 2]
import threading

done = []


def work(n):
    value = n
    done.append(value)


def f(n):
    for i in range(n):
        thread = threading.Thread(target=work, args=(i,))
        thread.start()
        thread.join()
    work(9)
    return done[:-1]
