//! One line per field of the API: the struct and its decoding in one.

/// Declares structs whose fields are read from a mapping by a method of [`Fields`](super::fields::Fields). Every struct
/// also has the `span` of its mapping. Fields are named as the API names them, in snake case.
macro_rules! record {
    ($($(#[$meta:meta])* $name:ident $(<$life:lifetime>)? { $($field:ident: $type:ty = $method:ident($($argument:expr),*);)* })*) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, Default)]
        #[allow(missing_docs)]
        pub struct $name $(<$life>)? {
            pub span: $crate::source::Span,
            $(pub $field: $type,)*
        }

        record!(@decode $name $(<$life>)? { $($field = $method($($argument),*);)* });
    )*};
    (@decode $name:ident <$life:lifetime> { $($field:ident = $method:ident($($argument:expr),*);)* }) => {
        impl<$life> $name<$life> {
            /// Reads it from a mapping.
            pub fn decode(fields: $crate::model::Fields<'_, $life>) -> Self {
                Self { span: fields.span(), $($field: fields.$method($($argument),*),)* }
            }
        }
    };
    (@decode $name:ident { $($field:ident = $method:ident($($argument:expr),*);)* }) => {
        impl $name {
            /// Reads it from a mapping.
            pub fn decode(fields: $crate::model::Fields<'_, '_>) -> Self {
                Self { span: fields.span(), $($field: fields.$method($($argument),*),)* }
            }
        }
    };
}

pub(super) use record;
