//! Routes before any proxy asks: VirtualServices and the routes of the Gateway API in one model.

pub mod model;
