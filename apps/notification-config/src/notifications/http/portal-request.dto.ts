import {
  type Channel,
  channels,
  type MerchantsSought,
  type PortalMerchantsRequest,
  type PortalRequest,
  validTypesText,
} from '@paycode/dto';
import { invalidField } from '@paycode/service-runtime';
import { IsIn, IsObject, IsOptional, IsString, Length } from 'class-validator';
import { MerchantRequest } from './notification-request.dto';

/** Body of POST /internal/portal/merchants. */
export class PortalMerchantsBody implements PortalMerchantsRequest {
  @IsObject()
  owner!: MerchantsSought;
}

/** Body of POST /internal/portal/notifications/{operation}. What people type is checked where it is used, in words for them. */
export class PortalBody extends MerchantRequest implements PortalRequest {
  @IsString()
  @Length(1, 200)
  actor!: string;

  @IsOptional()
  @IsString()
  @Length(1, 2_048)
  url?: string;

  @IsOptional()
  @IsIn(channels, { message: validTypesText })
  type?: Channel;

  @IsOptional()
  @IsString()
  @Length(1, 254)
  value?: string;
}

const isId = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;

const namedMax = 100;

const ownerRules: Readonly<Record<string, (value: unknown) => boolean>> = {
  merchantId: isId,
  pspId: isId,
  acquirer: value => typeof value === 'string' && value !== '',
  all: value => value === true,
  named: value => typeof value === 'string' && value.length >= 1 && value.length <= namedMax,
};

/** @throws DomainError 400 unless the owner is exactly one of these kinds */
export function ownerOf(owner: MerchantsSought): MerchantsSought {
  const [[kind, value] = ['', null], ...more] = Object.entries(owner) as [string, unknown][];
  const isWellFormed = Object.hasOwn(ownerRules, kind) && ownerRules[kind]!(value) && more.length === 0;
  if (!isWellFormed) throw invalidField('owner', `must be one of ${Object.keys(ownerRules).join(', ')}`);
  return owner;
}
