//! Gateways before any proxy asks: those of Istio's API, of the Gateway API and of Ingresses in one model.

pub mod model;
