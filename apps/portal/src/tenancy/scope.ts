import { Injectable, type PipeTransform } from '@nestjs/common';
import type { Identity, MerchantOwner } from '@paycode/dto';
import { refusal } from '../neighbours';
import type { Person } from '../people/domain/person';
import type { OpenedSession } from '../sessions/domain/session';
import type { Asking } from '../sessions/portal.guard';
import { MerchantDirectory } from './merchant.directory';

/**
 * Whose data a request may touch. Every query of the portal takes one as an argument, and this file alone makes them: from the person who is
 * signed in or the account that the gateway asserts, never from what a request says.
 */
export class Scope {
  private constructor(
    /** Merchants, or all of the platform. */
    readonly merchantIds: readonly number[] | 'ALL',
    readonly owner: MerchantOwner,
  ) {}

  static async of(person: Pick<Person, 'tenantType' | 'tenantId'>, directory: MerchantDirectory): Promise<Scope> {
    const owner = ownerOf(person);
    if ('all' in owner) return new Scope('ALL', owner);
    if ('merchantId' in owner) return new Scope([owner.merchantId], owner);
    return new Scope(await directory.idsOf(owner), owner);
  }

  /** One merchant for the programs of an account: its own, or one of a PSP's; undefined: there is none, or it is another's. */
  static async ofAccount(caller: Identity, merchantId: number, directory: MerchantDirectory): Promise<Scope | undefined> {
    const { accountType, ownerId } = caller;
    const scope = new Scope([merchantId], { merchantId });
    if (accountType === 'MERCHANT') return ownerId === merchantId ? scope : undefined;
    if (accountType !== 'PSP' || ownerId === null) return undefined;
    const record = await directory.find(merchantId);
    return record?.pspId === ownerId ? scope : undefined;
  }

  has(merchantId: number): boolean {
    return this.merchantIds === 'ALL' || this.merchantIds.includes(merchantId);
  }

  /** One merchant of it. @throws DomainError 404, the same for a merchant that does not exist and one that is another's (T-24) */
  narrowedTo(merchantId: number): Scope {
    if (!this.has(merchantId)) throw notYours();
    return new Scope([merchantId], { merchantId });
  }

  /** The merchant that a query names, or all of it. @throws DomainError 404 */
  askedFor({ merchantId }: { merchantId?: string }): Scope {
    return merchantId === undefined ? this : this.narrowedTo(Number(merchantId));
  }
}

export const notYours = () => refusal([404, 'NOT_FOUND'], 'there is no such thing, or it is not yours');

function ownerOf({ tenantType, tenantId }: Pick<Person, 'tenantType' | 'tenantId'>): MerchantOwner {
  switch (tenantType) {
    case 'MERCHANT':
      return { merchantId: Number(tenantId) };
    case 'PSP':
      return { pspId: Number(tenantId) };
    case 'ACQUIRER':
      return { acquirer: tenantId };
    case 'OPERATOR':
      return { all: true };
  }
}

/** `@SignedIn(ScopePipe) scope: Scope`. */
@Injectable()
export class ScopePipe implements PipeTransform<OpenedSession, Promise<Scope>> {
  constructor(private readonly directory: MerchantDirectory) {}

  transform({ person }: OpenedSession): Promise<Scope> {
    return Scope.of(person, this.directory);
  }
}

/** `@AskedBy(ScopedPipe) asking: Asking & { scope: Scope }`. */
@Injectable()
export class ScopedPipe implements PipeTransform<Asking, Promise<Asking & { scope: Scope }>> {
  constructor(private readonly directory: MerchantDirectory) {}

  async transform(asking: Asking): Promise<Asking & { scope: Scope }> {
    return { ...asking, scope: await Scope.of(asking.person, this.directory) };
  }
}
