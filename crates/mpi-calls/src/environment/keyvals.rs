//! Attributes that a program attaches to communicators, datatypes and windows.
//!
//! Their functions are called when an attribute is deleted or replaced, or its object freed or duplicated, one after
//! the other.

use crate::call::{Call, Called, DONE, Refusal};
use crate::collectives::plan::{NOTHING_MADE, Plan};
use crate::interface::calls::Action;
use crate::state::attributes::{AttributeKey, AttributeOwner};
use crate::state::delivery::{Delivery, EnteredCollective};
use crate::state::handle_table::{Handle, KeyId};
use crate::state::pending::{AttributeCall, AttributeCalls, Pending};
use chronos_activity::{CollectiveKind, CommId, Operation};
use chronos_functions::{Object, Type};
use chronos_ir::ScalarType;
use chronos_mpi::handles;
use chronos_values::{Pointer, Value};

/// Copy functions of the header: none, and one that copies.
const NULL_COPY: i64 = 0;

impl Call<'_> {
    /// What an attribute's first argument names.
    fn attributed(&mut self, argument: usize) -> Result<AttributeOwner, Refusal> {
        let object = self.function.params.get(argument).map(|param| param.ty);
        match object {
            Some(Type::Handle(Object::Datatype)) => {
                let handle = self.int(argument)?;
                self.named_datatype(argument, handle)?;
                Ok(AttributeOwner::Type(handle))
            }
            Some(Type::Handle(Object::Window)) => self.window(argument).map(AttributeOwner::Comm),
            _ => self.comm(argument).map(AttributeOwner::Comm),
        }
    }

    fn key(&mut self, argument: usize) -> Result<KeyId, Refusal> {
        let number = self.int(argument)?;
        let found = KeyId::from_handle(number).filter(|&id| self.mpi.task(self.task).keys.get(id).is_some());
        found.ok_or_else(|| self.bad_argument(argument, "is no key of this program"))
    }

    /// The attribute that the program has set, if any.
    pub(crate) fn own_attribute(&mut self) -> Result<Option<Value>, Refusal> {
        let object = self.attributed(0)?;
        let number = self.int(1)?;
        let Some(key) = KeyId::from_handle(number) else { return Ok(None) };
        Ok(self.mpi.task(self.task).attributes.get(&(object, key)).copied())
    }

    /// Calls what is due, then performs this operation.
    pub fn calling(&mut self, mut calling: AttributeCalls) -> Called {
        self.take_copy(calling.copied.take());
        while let Some(due) = calling.due.pop() {
            if let Some(action) = self.call_due(due, &mut calling) {
                self.pend(Pending::Attributes(Box::new(calling)));
                return Ok(action);
            }
        }
        match calling.then {
            None => DONE,
            Some(operation) => {
                let pending = calling.joined.map_or(Pending::Done, Pending::Collective);
                self.then(vec![*operation], pending)
            }
        }
    }

    /// The call of a function, if there is one to call.
    fn call_due(&mut self, due: AttributeCall, calling: &mut AttributeCalls) -> Option<Action> {
        match due {
            AttributeCall::Delete { handle, key, value } => {
                let AttributeKey { delete, extra, .. } = *self.mpi.task(self.task).keys.get(key)?;
                let arguments = vec![Value::Int(handle), Self::number_of(key), value, extra];
                matches!(delete, Value::Function(_)).then_some(Action::CallBack {
                    function: delete,
                    arguments,
                    counted: true,
                })
            }
            AttributeCall::Copy { handle, key, value, to } => {
                let AttributeKey { copy, extra, .. } = *self.mpi.task(self.task).keys.get(key)?;
                if !matches!(copy, Value::Function(_)) {
                    if copy != Value::Int(NULL_COPY) {
                        self.mpi.task(self.task).attributes.insert((to, key), value);
                    }
                    return None;
                }
                let place = self.env.allocate(8, self.site.block)?;
                let flag = self.env.allocate(4, self.site.block)?;
                self.env.store(flag, ScalarType::I32, Value::Int(0));
                calling.copied = Some((to, key, place, flag));
                let pointers = [place, flag].map(Value::Pointer);
                let arguments = vec![Value::Int(handle), Self::number_of(key), extra, value, pointers[0], pointers[1]];
                Some(Action::CallBack { function: copy, arguments, counted: true })
            }
        }
    }

    fn number_of(key: KeyId) -> Value {
        Value::Int(key.handle())
    }

    /// What a copy function has left.
    fn take_copy(&mut self, copied: Option<(AttributeOwner, KeyId, Pointer, Pointer)>) {
        let Some((to, key, place, flag)) = copied else { return };
        let value = self.env.load(place, ScalarType::Pointer);
        if self.env.load(flag, ScalarType::I32) != Value::Int(0) {
            self.mpi.task(self.task).attributes.insert((to, key), value);
        }
        [place, flag].into_iter().for_each(|memory| self.env.release(memory));
    }

    /// Removes all attributes of an object that is freed and calls their functions, then performs this operation.
    pub(crate) fn free_attributes(&mut self, object: AttributeOwner, handle: i64, then: Option<Operation>) -> Called {
        let due = self.freed(object, handle);
        self.calling(AttributeCalls { due, copied: None, then: then.map(Box::new), joined: None })
    }

    /// As `free_attributes`, of what all members of a communicator free together.
    pub(crate) fn free_together(&mut self, object: AttributeOwner, handle: i64, comm: CommId) -> Called {
        let due = self.freed(object, handle);
        let (collective, joined) = self.join(Plan::new(CollectiveKind::Agreement, comm, NOTHING_MADE))?;
        let then = Some(Box::new(Operation::Collective(collective)));
        self.calling(AttributeCalls { due, copied: None, then, joined: Some(Box::new(joined)) })
    }

    fn freed(&mut self, object: AttributeOwner, handle: i64) -> Vec<AttributeCall> {
        let attributes = &mut self.mpi.task(self.task).attributes;
        let gone: Vec<_> = attributes
            .range((object, KeyId(0))..=(object, KeyId(u32::MAX)))
            .map(|(place, value)| (*place, *value))
            .collect();
        for (place, _) in &gone {
            attributes.remove(place);
        }
        gone.into_iter().map(|((_, key), value)| AttributeCall::Delete { handle, key, value }).collect()
    }

    /// Lets a duplicate have the attributes whose functions say so.
    pub(crate) fn copy_attributes(&mut self, from: (AttributeOwner, i64), to: AttributeOwner) -> Called {
        let attributes = &self.mpi.task(self.task).attributes;
        let old = attributes.range((from.0, KeyId(0))..=(from.0, KeyId(u32::MAX)));
        let due = old.map(|(&(_, key), &value)| AttributeCall::Copy { handle: from.1, key, value, to }).collect();
        self.calling(AttributeCalls { due, copied: None, then: None, joined: None })
    }
}

/// `MPI_Comm_create_keyval(copy, delete, key, extra)`, also of datatypes and windows.
pub(crate) fn create(call: &mut Call<'_>) -> Called {
    let [copy, delete, extra] = [0, 1, 3].map(|argument| call.env.argument(argument));
    let key = call.mpi.task(call.task).keys.insert(AttributeKey { copy, delete, extra });
    call.store_int(2, key.handle());
    DONE
}

/// `MPI_Comm_free_keyval(key)`: attributes that have it stay, so its functions are kept.
pub(crate) fn free(call: &mut Call<'_>) -> Called {
    let number = call.element(0, 0)?;
    let known = KeyId::from_handle(number).is_some_and(|id| call.mpi.task(call.task).keys.get(id).is_some());
    if !known {
        return Err(call.bad_argument(0, "is no key of this program"));
    }
    call.store_int(0, handles::KEYVAL_INVALID);
    DONE
}

/// `MPI_Comm_set_attr(comm, key, value)`.
pub(crate) fn set(call: &mut Call<'_>) -> Called {
    let object = call.attributed(0)?;
    let (number, key) = (call.int(0)?, call.key(1)?);
    let value = call.env.argument(2);
    call.env.unsettle();
    let old = call.mpi.task(call.task).attributes.insert((object, key), value);
    let due = old.into_iter().map(|value| AttributeCall::Delete { handle: number, key, value }).collect();
    call.calling(AttributeCalls { due, copied: None, then: None, joined: None })
}

/// `MPI_Comm_delete_attr(comm, key)`.
pub(crate) fn delete(call: &mut Call<'_>) -> Called {
    let object = call.attributed(0)?;
    let (number, key) = (call.int(0)?, call.key(1)?);
    let old = call.mpi.task(call.task).attributes.remove(&(object, key));
    let due = old.into_iter().map(|value| AttributeCall::Delete { handle: number, key, value }).collect();
    call.calling(AttributeCalls { due, copied: None, then: None, joined: None })
}

/// `MPI_Type_get_attr(type, key, value, flag)`.
pub(crate) fn get(call: &mut Call<'_>) -> Called {
    let value = call.own_attribute()?;
    call.store_attribute(value);
    DONE
}

impl Call<'_> {
    /// The end of a collective, which may have made a duplicate.
    pub(crate) fn duplicated(&mut self, joined: EnteredCollective) -> Called {
        let Delivery::Communicator { place: Some(place) } = joined.delivery else {
            return self.joined_or_folded(joined);
        };
        let (old, dup) = (joined.comm, self.function.copies_attributes);
        self.joined(joined)?;
        let new = self.env.load(place, ScalarType::I32).as_int();
        let new = new.and_then(|new| self.mpi.comm_of_handle(self.task, new)).filter(|_| dup);
        let Some(new) = new else { return DONE };
        let handle = self.mpi.handle_of_comm(old);
        self.copy_attributes((AttributeOwner::Comm(old), handle), AttributeOwner::Comm(new))
    }

    pub(crate) fn store_attribute(&mut self, value: Option<Value>) {
        self.store_int(3, i64::from(value.is_some()));
        if let Some(value) = value {
            self.store(2, ScalarType::Pointer, value);
        }
    }
}
