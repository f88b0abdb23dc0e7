export { pauseLimitsOf } from './domain/pause-limits';
export { EndpointPauses } from './endpoint-pauses';
export { EndpointsController } from './http/endpoints.controller';
export { PortalEndpointsController } from './http/portal-endpoints.controller';
export { MerchantEndpoints } from './merchant-endpoints';
export { PauseEndpoint } from './pause-endpoint';
export { PauseReader, PauseStore } from './pausing.ports';
export { PostgresPauseStore } from './persistence/postgres-pause.store';
