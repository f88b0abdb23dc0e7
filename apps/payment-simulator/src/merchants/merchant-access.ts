import { Injectable } from '@nestjs/common';
import type { Identity, MerchantRecord } from '@paycode/dto';
import { DomainError, invalidField } from '@paycode/service-runtime';
import { MerchantDirectory } from './merchants.ports';

/** Flow: caller -> the merchants that it may act for. A merchant acts for itself, a PSP for its own merchants. */
@Injectable()
export class MerchantAccess {
  constructor(private readonly directory: MerchantDirectory) {}

  /**
   * The merchant that a caller acts for: itself, or for a PSP the named one.
   * @throws DomainError 400 `Invalid 'merchantId'` for an unknown merchant and for one of another PSP
   */
  async actingFor(caller: Identity, merchantId: number | undefined): Promise<MerchantRecord> {
    if (caller.accountType === 'PSP' && merchantId === undefined) throw invalidField('merchantId', 'is required for a PSP');
    const wanted = caller.accountType === 'MERCHANT' ? (merchantId ?? caller.ownerId) : merchantId;
    const merchant = wanted ? await this.directory.find(wanted) : undefined;
    if (!merchant || !isOwner(caller, merchant))
      throw new DomainError({ status: 400, reason: 'NOT_OWNER', message: "Invalid 'merchantId'" });
    return merchant;
  }

  /** Whether the caller may read data of the merchant. */
  async maySee(caller: Identity, merchantId: number): Promise<boolean> {
    if (caller.accountType === 'MERCHANT') return caller.ownerId === merchantId;
    const merchant = await this.directory.find(merchantId);
    return merchant !== undefined && isOwner(caller, merchant);
  }
}

function isOwner(caller: Identity, merchant: MerchantRecord): boolean {
  if (caller.ownerId === null) return false;
  if (caller.accountType === 'MERCHANT') return caller.ownerId === merchant.merchantId;
  return caller.accountType === 'PSP' && caller.ownerId === merchant.pspId;
}
