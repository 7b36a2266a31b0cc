//! Names of types. A struct is named by its id, so that names do not recurse through pointers.

use super::{Type, TypeId, TypeTable, scalar_name};

/// Pointers, arrays and functions are written before what they are made of: `*[3]f64`.
pub fn type_name(types: &TypeTable, id: TypeId) -> String {
    let mut text = String::new();
    let mut at = id;
    // A pointer type can only reach itself through a struct, where naming ends.
    loop {
        match types.get(at) {
            Type::Pointer(to) => {
                text.push('*');
                at = *to;
            }
            Type::Array { element, length } => {
                text.push_str(&length.map_or("[]".to_owned(), |length| format!("[{length}]")));
                at = *element;
            }
            other => return text + &leaf(types, other),
        }
    }
}

fn leaf(types: &TypeTable, ty: &Type) -> String {
    match ty {
        Type::Void => "void".to_owned(),
        Type::Scalar(scalar) => scalar_name(*scalar).to_owned(),
        Type::Struct(id) => match types.structs.get(*id).and_then(|structure| structure.name.as_deref()) {
            Some(name) => format!("{id}:{name}"),
            None => id.to_string(),
        },
        Type::Function { result, params, variadic } => {
            let mut params: Vec<String> = params.iter().map(|&param| type_name(types, param)).collect();
            if *variadic {
                params.push("...".to_owned());
            }
            format!("fn({}) -> {}", params.join(", "), type_name(types, *result))
        }
        Type::Pointer(_) | Type::Array { .. } => String::new(),
    }
}
