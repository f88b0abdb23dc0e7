import { Injectable, type PipeTransform } from '@nestjs/common';
import { invalidField } from '@paycode/service-runtime';

/** A merchant id in a path: decimal digits, 1 to 2^53 - 1. */
@Injectable()
export class MerchantIdPipe implements PipeTransform<string, number> {
  transform(text: string): number {
    const merchantId = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : NaN;
    if (!Number.isSafeInteger(merchantId)) throw invalidField('merchantId', 'must be a positive integer');
    return merchantId;
  }
}
