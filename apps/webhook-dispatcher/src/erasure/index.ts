export { storedDeliveries } from './stored-deliveries.sql';
