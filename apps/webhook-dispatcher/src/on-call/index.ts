export { DeliveriesController } from './http/deliveries.controller';
export { ShardsController } from './http/shards.controller';
export { DeliveryLog } from './on-call.ports';
export { PostgresDeliveryLogStore } from './persistence/postgres-delivery-log.store';
export { ShowDelivery } from './show-delivery';
