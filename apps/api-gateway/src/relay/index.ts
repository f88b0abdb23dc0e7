export { Relays } from './relays';
export { type RelayAnswer, RelayEndpoints } from './relay-endpoints';
