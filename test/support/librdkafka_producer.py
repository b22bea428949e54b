"""A producer of librdkafka's: reads one JSON object a line, does what it says, answers with one line."""

import base64
import json
import sys

from confluent_kafka import Producer


def answer(**fields):
    print(json.dumps(fields), flush=True)


def main():
    config = json.loads(sys.argv[1])
    producer = Producer({"linger.ms": 200, **config})
    if "transactional.id" in config:
        producer.init_transactions(30)
    failures = []

    def delivered(error, _message):
        if error is not None:
            failures.append(str(error))

    def send(topic, values, headers, partition):
        for value in values:
            # A number stands for so many zeros: what compresses best.
            body = bytes(value) if isinstance(value, int) else None if value is None else base64.b64decode(value)
            producer.produce(topic, body, partition=partition, headers=headers, on_delivery=delivered)
        if producer.flush(30) > 0:
            failures.append("not delivered within 30 s")

    actions = {
        "send": send,
        "begin": producer.begin_transaction,
        "commit": lambda: producer.commit_transaction(30),
        "abort": lambda: producer.abort_transaction(30),
    }
    answer()
    for line in sys.stdin:
        question = json.loads(line)
        action = question.pop("do")
        failures.clear()
        try:
            actions[action](**question)
        except Exception as error:  # said to the test, which fails with it
            failures.append(repr(error))
        answer(error="; ".join(failures)) if failures else answer()


main()
