pub(crate) mod recurrence;
pub(crate) mod searches;
pub(crate) mod strides;
pub(crate) mod trip_form;
