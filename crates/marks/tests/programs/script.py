"""The calls of the Python package, in the order that tests/clients expects."""

import threading

import residue


def work(token):
    with residue.task(token):
        residue.stamp("in the thread")


@residue.scope("decorated")
def decorated():
    residue.stamp("inside")


with residue.event(1), residue.event(2, stream=3):
    token = residue.current()
    thread = threading.Thread(target=work, args=(token,))
    thread.start()
    thread.join()
    residue.stamp("read")
    residue.count("hits", 2.5)
    with residue.scope("digitise"):
        pass
    decorated()
    residue.pause()
    residue.resume()
    with residue.paused(all_threads=True):
        pass
    residue.thresholds(64, 4096)
    residue.snapshot("half")
print("active", int(residue.active()), "token", token)
