"""Records of many arrays, passed between kernels by where they are.

Numba passes a named tuple of arrays field by field: a call with 17 arrays has 135 arguments, which
are decomposed and put together again wherever it is written. Records that Python makes, and no
kernel changes, are passed as one address instead. The arrays in them may be written to as ever.
"""

from __future__ import annotations

from typing import Any, TypeVar

from numba import types
from numba.core import cgutils
from numba.extending import (
    NativeValue,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

Record = TypeVar("Record", bound=type[tuple[Any, ...]])


def shared(record: Record) -> Record:
    """Pass named tuples of this class by address; kernels read their fields, and make none."""

    @typeof_impl.register(record)
    def type_of(value: Any, context: Any) -> Shared:
        return Shared([typeof_impl(field, context) for field in value], record)

    return record


class Shared(types.NamedTuple):
    """The type of such records: a named tuple in all but where it is."""


@register_model(Shared)
class SharedModel(models.PrimitiveModel):
    """An address."""

    def __init__(self, manager: Any, record: Shared) -> None:
        fields = models.TupleModel(manager, record)
        super().__init__(manager, record, fields.get_value_type().as_pointer())


@unbox(Shared)
def unbox_record(record: Shared, value: Any, c: Any) -> NativeValue:
    """Take a record from Python, for as long as the call takes."""
    fields = c.unbox(types.NamedTuple(record.types, record.instance_class), value)
    address = cgutils.alloca_once_value(c.builder, fields.value)
    return NativeValue(address, is_error=fields.is_error, cleanup=fields.cleanup)


@lower_getattr_generic(Shared)
def read_field(context: Any, builder: Any, record: Shared, address: Any, name: str) -> Any:
    """Read a field. It never changes, whatever is written to arrays: loops need not read again."""
    index = record.fields.index(name)
    field = builder.load(cgutils.gep_inbounds(builder, address, 0, index))
    field.set_metadata("invariant.load", builder.module.add_metadata([]))
    if context.enable_nrt:
        context.nrt.incref(builder, record[index], field)
    return field
