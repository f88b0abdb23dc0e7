export { MerchantIdPipe } from './http/merchant-id.pipe';
export { operatorOrigin } from './http/operator-origin';
export { MerchantsModule } from './merchants.module';
export { merchantNotFound } from './save-merchant.service';
export { MerchantEntity } from './persistence/merchant.entity';
