import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MerchantsController } from './http/merchants.controller';
import { MerchantStore } from './merchants.ports';
import { MerchantEntity } from './persistence/merchant.entity';
import { PostgresMerchantStore } from './persistence/postgres-merchant.store';
import { SaveMerchantService } from './save-merchant.service';

@Module({
  imports: [TypeOrmModule.forFeature([MerchantEntity])],
  controllers: [MerchantsController],
  providers: [SaveMerchantService, { provide: MerchantStore, useClass: PostgresMerchantStore }],
})
export class MerchantsModule {}
