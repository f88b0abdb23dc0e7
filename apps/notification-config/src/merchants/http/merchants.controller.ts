import { Body, Controller, Get, Param, Put, Req } from '@nestjs/common';
import type { EncryptionProfile, MerchantRecord } from '@paycode/dto';
import type { FastifyRequest } from 'fastify';
import { operatorOrigin } from './operator-origin';
import { SaveMerchantService } from '../save-merchant.service';
import { MerchantIdPipe } from './merchant-id.pipe';
import { SaveMerchantRequest, SetEncryptionRequest } from './merchant-request.dto';

/** Merchants, for operators and for the services that need a merchant's record. */
@Controller('internal/merchants')
export class MerchantsController {
  constructor(private readonly merchants: SaveMerchantService) {}

  @Put(':merchantId')
  save(
    @Param('merchantId', MerchantIdPipe) merchantId: number,
    @Body() body: SaveMerchantRequest,
    @Req() request: FastifyRequest,
  ): Promise<MerchantRecord> {
    return this.merchants.save({ merchantId, ...body }, operatorOrigin(request));
  }

  @Get(':merchantId')
  find(@Param('merchantId', MerchantIdPipe) merchantId: number): Promise<MerchantRecord> {
    return this.merchants.find(merchantId);
  }

  @Put(':merchantId/encryption')
  async setEncryption(
    @Param('merchantId', MerchantIdPipe) merchantId: number,
    @Body() { profile }: SetEncryptionRequest,
    @Req() request: FastifyRequest,
  ): Promise<{ merchantId: number; profile: EncryptionProfile }> {
    await this.merchants.setEncryption(merchantId, profile, operatorOrigin(request));
    return { merchantId, profile };
  }
}
