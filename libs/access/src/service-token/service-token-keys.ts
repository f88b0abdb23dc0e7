import type { KeyObject } from 'node:crypto';
import { type MutualTlsFiles, ReloadedFile } from '@paycode/service-runtime';
import jsonwebtoken from 'jsonwebtoken';
import { OperatorProvider } from './operator-provider';
import { serviceTokenLifetimeS } from './service-token';
import { type ActingPerson, invitationIn, type InvitedPerson, type MailDemand, personIn } from '../person/person-assertion';
import {
  type InternalCaller,
  operatorAudience,
  operatorName,
  operatorTokenType,
  type PublishedKey,
  publishedKeysOf,
  serviceNames,
  serviceTokenType,
  subjectPattern,
} from './token-keys';

/** Operator tokens that are no longer accepted, as the revocations file states them. */
export interface OperatorRevocations {
  /** Ids (`jti`) of single tokens. */
  tokens: string[];
  /** Maps a subject, or `*` for everybody, to an epoch second; tokens issued up to it are revoked. */
  issuedUntil: Record<string, number>;
}

export const nothingRevoked: OperatorRevocations = { tokens: [], issuedUntil: {} };
export const everybody = '*';

/** Reads a revocations file. @throws Error for any other shape, because a mistake must not silently revoke nothing */
export function operatorRevocationsOf(text: string): OperatorRevocations {
  const { tokens, issuedUntil, ...rest } = JSON.parse(text) as Partial<OperatorRevocations>;
  if (Object.keys(rest).length > 0) throw new Error(`unknown member ${Object.keys(rest).join(', ')}`);
  if (!Array.isArray(tokens) || !tokens.every(id => typeof id === 'string'))
    throw new Error('tokens must be an array of token ids');
  const isTable = typeof issuedUntil === 'object' && issuedUntil !== null && !Array.isArray(issuedUntil);
  if (!isTable || !Object.values(issuedUntil).every(Number.isSafeInteger))
    throw new Error('issuedUntil must map subjects to epoch seconds');
  return { tokens, issuedUntil };
}

/** Whether that token is revoked by itself, with its subject, or with everybody's. */
export function isRevoked(
  { tokens, issuedUntil }: OperatorRevocations,
  token: { id: string; subject: string; issuedAtS: number },
): boolean {
  const until = Math.max(issuedUntil[everybody] ?? 0, issuedUntil[token.subject] ?? 0);
  return token.issuedAtS <= until || tokens.includes(token.id);
}

/** Files of the token keys, and limits of operator tokens. */
export interface TokenKeyOptions {
  privateKeyFile: string;
  servicePublicKeysFile: string;
  operatorPublicKeysFile: string;
  /** null: no token can be revoked. */
  operatorRevocationsFile: string | null;
  operatorLifetimeMaxS: number;
  /** Unset: operators show tokens of the operator key alone. */
  operatorProvider?: { issuer: string; clientId: string } | undefined;
  mutualTls: MutualTlsFiles;
}

/** Public keys of services and operators, read again when their files change, and the rules for their tokens. */
export class ServiceTokenKeys {
  private readonly services: ReloadedFile<Map<string, PublishedKey>>;
  private readonly operators: ReloadedFile<Map<string, PublishedKey>>;
  private readonly revocations: { value: OperatorRevocations };
  /** Undefined: the company's sign-in is not set. */
  readonly operatorProvider: OperatorProvider | undefined;

  /** @throws Error naming the file that is not usable */
  constructor(
    private readonly audience: string,
    private readonly options: Omit<TokenKeyOptions, 'privateKeyFile' | 'mutualTls'>,
    onRefused?: (error: Error) => void,
  ) {
    const { servicePublicKeysFile, operatorPublicKeysFile, operatorRevocationsFile, operatorProvider } = options;
    this.operatorProvider =
      operatorProvider && new OperatorProvider({ ...operatorProvider, lifetimeMaxS: options.operatorLifetimeMaxS });
    this.services = new ReloadedFile(servicePublicKeysFile, text => publishedKeysOf(text, serviceNames), { onRefused });
    this.operators = new ReloadedFile(operatorPublicKeysFile, text => publishedKeysOf(text, [operatorName]), { onRefused });
    this.revocations =
      operatorRevocationsFile === null
        ? { value: nothingRevoked }
        : new ReloadedFile(operatorRevocationsFile, operatorRevocationsOf, { onRefused });
  }

  get audiences(): [string, string] {
    return [this.audience, operatorAudience];
  }

  /** The key a token says it was signed with, or undefined when there is no such key. */
  keyFor(token: string): KeyObject | undefined {
    const kid = jsonwebtoken.decode(token, { complete: true })?.header.kid;
    return kid === undefined ? undefined : this.find(kid)?.publicKey;
  }

  /** The caller of a token whose signature and times have been verified; undefined for a claim that does not fit its key. */
  callerOf({ header, payload }: jsonwebtoken.Jwt): InternalCaller | undefined {
    const claims = claimsOf(payload);
    // The key of a service must not sign tokens of another service or of an operator, nor the reverse (T-27).
    if (!claims || this.find(header.kid ?? '')?.owner !== claims.iss) return undefined;
    const { type, audience, lifetimeMaxS } = this.demandsOf(claims.iss);
    const fits = header.typ === type && claims.aud === audience && claims.exp - claims.iat <= lifetimeMaxS;
    return fits ? callerNamed(claims) : undefined;
  }

  /** The person of an assertion; undefined for one that is not valid now. */
  personOf(assertion: string): ActingPerson | undefined {
    return personIn(assertion, kid => this.services.value.get(kid));
  }

  /** As `personOf`, for an invitation or an alert. */
  invitationOf(assertion: string, demand: MailDemand): InvitedPerson | undefined {
    return invitationIn(assertion, demand, kid => this.services.value.get(kid));
  }

  /** Whether an operator's token has been revoked since it was issued. */
  isRevoked({ name, subject, tokenId, issuedAtS }: InternalCaller): boolean {
    if (name !== operatorName || subject === null) return false;
    return isRevoked(this.revocations.value, { id: tokenId, subject, issuedAtS });
  }

  private demandsOf(issuer: string): { type: string; audience: string; lifetimeMaxS: number } {
    return issuer === operatorName
      ? { type: operatorTokenType, audience: operatorAudience, lifetimeMaxS: this.options.operatorLifetimeMaxS }
      : { type: serviceTokenType, audience: this.audience, lifetimeMaxS: serviceTokenLifetimeS };
  }

  private find(kid: string): PublishedKey | undefined {
    return this.services.value.get(kid) ?? this.operators.value.get(kid);
  }
}

interface Claims {
  iss: string;
  aud?: string | string[];
  iat: number;
  exp: number;
  jti: string;
  sub?: string;
}

/** The claims that every token must have. */
function claimsOf(payload: jsonwebtoken.JwtPayload | string): Claims | undefined {
  if (typeof payload === 'string') return undefined;
  const { iss, aud, iat, exp, jti, sub } = payload;
  return iss === undefined || iat === undefined || exp === undefined || jti === undefined
    ? undefined
    : { iss, aud, iat, exp, jti, sub };
}

/** An operator token without a name is invalid. */
function callerNamed({ iss, iat, exp, jti, sub }: Claims): InternalCaller | undefined {
  const caller = { name: iss, tokenId: jti, issuedAtS: iat, expiresAtS: exp };
  if (iss !== operatorName) return { ...caller, subject: null };
  return sub !== undefined && subjectPattern.test(sub) ? { ...caller, subject: sub } : undefined;
}
