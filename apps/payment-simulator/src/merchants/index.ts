export { MerchantAccess } from './merchant-access';
export { MerchantDirectory } from './merchants.ports';
export { MerchantsModule } from './merchants.module';
