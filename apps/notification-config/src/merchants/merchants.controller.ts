import { Body, Controller, Get, Param, Put, Req } from '@nestjs/common';
import { type EncryptionProfile, IsId, type MerchantRecord, WithoutCardNumber } from '@paycode/dto';
import { ParseIdPipe } from '@paycode/service-runtime';
import { IsIn, IsOptional, IsString, Length, Matches } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import type { Origin } from '../audit';
import { MerchantsService } from './merchants.service';

/** The operator who made an internal call, for the audit log: the subject of the token that `InternalCallersGuard` verified. */
export function operatorOrigin(request: FastifyRequest & { subject?: string }): Origin {
  return { actor: `operator ${request.subject ?? 'unknown'}`, requestId: String(request.id) };
}

/** Names appear in mails and notifications, so they have no line breaks or other control characters (T-25). */
const printable = /^[^\p{Cc}\u2028\u2029]+$/u;

/** Body of PUT /internal/merchants/{merchantId}. */
export class SaveMerchantRequest implements Omit<MerchantRecord, 'merchantId'> {
  @IsString()
  @Length(1, 100)
  @Matches(printable, { message: 'merchantName must not contain control characters' })
  @WithoutCardNumber()
  merchantName!: string;

  @IsOptional()
  @IsId()
  pspId: number | null = null;

  @IsString()
  @Length(1, 100)
  @Matches(printable, { message: 'acquirer must not contain control characters' })
  @WithoutCardNumber()
  acquirer!: string;

  @IsIn(['ACTIVE', 'SUSPENDED'])
  status!: MerchantRecord['status'];
}

/** Body of PUT /internal/merchants/{merchantId}/encryption. */
export class SetEncryptionRequest {
  @IsIn(['AES-128-GCM', 'AES-128-CBC-LEGACY'])
  profile!: EncryptionProfile;
}

/** Merchants, for operators and for the services that need a merchant's record. */
@Controller('internal/merchants')
export class MerchantsController {
  constructor(private readonly merchants: MerchantsService) {}

  @Put(':merchantId')
  save(
    @Param('merchantId', ParseIdPipe) merchantId: number,
    @Body() body: SaveMerchantRequest,
    @Req() request: FastifyRequest,
  ): Promise<MerchantRecord> {
    return this.merchants.save({ merchantId, ...body }, operatorOrigin(request));
  }

  @Get(':merchantId')
  find(@Param('merchantId', ParseIdPipe) merchantId: number): Promise<MerchantRecord> {
    return this.merchants.find(merchantId);
  }

  @Put(':merchantId/encryption')
  async setEncryption(
    @Param('merchantId', ParseIdPipe) merchantId: number,
    @Body() { profile }: SetEncryptionRequest,
    @Req() request: FastifyRequest,
  ): Promise<{ merchantId: number; profile: EncryptionProfile }> {
    await this.merchants.setEncryption(merchantId, profile, operatorOrigin(request));
    return { merchantId, profile };
  }
}
