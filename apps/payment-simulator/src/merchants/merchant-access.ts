import { Injectable } from '@nestjs/common';
import type { Identity, MerchantRecord } from '@paycode/dto';
import { DomainError, invalidField } from '@paycode/service-runtime';
import { MerchantDirectory } from './merchants.ports';

/** Flow: caller -> the merchants it may act for. A merchant acts for itself, a PSP for the merchants it owns. */
@Injectable()
export class MerchantAccess {
  constructor(private readonly directory: MerchantDirectory) {}

  /**
   * The merchant a caller wants to act for: its own, or for a PSP the one it names.
   * @throws DomainError 400 `Invalid 'merchantId'` for a merchant that is unknown or another's, alike
   */
  async actingFor(caller: Identity, merchantId: number | undefined): Promise<MerchantRecord> {
    if (caller.accountType === 'PSP' && merchantId === undefined) throw invalidField('merchantId', 'is required for a PSP');
    const wanted = caller.accountType === 'MERCHANT' ? (merchantId ?? caller.ownerId) : merchantId;
    const merchant = wanted ? await this.directory.find(wanted) : undefined;
    if (!merchant || !isOwner(caller, merchant))
      throw new DomainError({ status: 400, code: 'NOT_OWNER', message: "Invalid 'merchantId'" });
    return merchant;
  }

  /** Whether the caller may see what belongs to the merchant. */
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
