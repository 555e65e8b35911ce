"""The places of values in the arguments of a call: a parameter, or one value collected by `*args` or
`**named`.
"""

from collections.abc import Container
from typing import Any, Union

__all__ = ["Arguments", "Place", "get", "is_there", "places", "put", "title"]

Arguments = dict[str, Any]
Place = Union[str, tuple[str, Any]]
"""The name of a parameter, with the number or name of a value if the parameter collects several."""


def places(args: Arguments, collecting: Container[str]) -> list[Place]:
    """Returns all places; collected values follow their parameter."""
    found: list[Place] = []
    for name, value in args.items():
        found.append(name)
        if name in collecting:
            found += [(name, key) for key in (value if isinstance(value, dict) else range(len(value)))]
    return found


def is_there(args: Arguments, place: Place) -> bool:
    """Returns whether there is a value at this place."""
    if isinstance(place, str):
        return place in args
    name, key = place
    return key in args[name] if isinstance(args[name], dict) else key < len(args[name])


def get(args: Arguments, place: Place) -> Any:
    """Returns the value at a place."""
    return args[place] if isinstance(place, str) else args[place[0]][place[1]]


def put(args: Arguments, place: Place, value: Any) -> Arguments:
    """Returns the arguments with another value at this place."""
    if isinstance(place, str):
        return {**args, place: value}
    name, key = place
    if isinstance(args[name], dict):
        return {**args, name: {**args[name], key: value}}
    return {**args, name: (*args[name][:key], value, *args[name][key + 1 :])}


def title(place: Place) -> str:
    """Returns the text that describes a place."""
    return place if isinstance(place, str) else f"{place[0]}[{place[1]!r}]"
