"""Keeps schemathesis from waiting: operations that answer when something happens are asked to wait for 20 ms at most."""

import schemathesis


def _briefly(value):
    return {**value, "timeout": "20ms"} if isinstance(value, dict) and "timeout" in value else value


@schemathesis.hook
def map_body(context, body):
    return _briefly(body) if context.operation.label == "POST /wait" else body


@schemathesis.hook
def map_query(context, query):
    if context.operation.label != "GET /wait/acked" or not isinstance(query, dict):
        return query
    return {**query, "timeout": "20ms"}


@schemathesis.hook
def filter_body(context, body):
    """Without a time it would wait its ten seconds: that is tried elsewhere, once."""
    if context.operation.label != "POST /wait":
        return True
    return not isinstance(body, dict) or "timeout" in body
