import { Module } from '@nestjs/common';
import { MerchantsController } from './http/merchants.controller';
import { MerchantStore } from './merchants.ports';
import { PostgresMerchantStore } from './persistence/postgres-merchant.store';
import { SaveMerchantService } from './save-merchant.service';

@Module({
  controllers: [MerchantsController],
  providers: [SaveMerchantService, { provide: MerchantStore, useClass: PostgresMerchantStore }],
})
export class MerchantsModule {}
