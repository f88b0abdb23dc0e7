import type { AuthorizeRequest } from '@paycode/dto';
import { invalidField } from '@paycode/service-runtime';

const textCharsMax = { method: 32, path: 16_384, address: 128, requestId: 128 } as const;

/**
 * Reads the gateway's request field by field, because class-validator would take longer than the decision. @throws DomainError 400
 */
export function readAuthorizeRequest(body: unknown): AuthorizeRequest {
  const fields = (body ?? {}) as Record<string, unknown>;
  const { authorization } = fields;
  if (!Array.isArray(authorization) || !authorization.every(line => typeof line === 'string'))
    throw invalidField('authorization', 'must be an array of strings');
  const text = (name: keyof typeof textCharsMax): string => {
    const value = fields[name];
    if (typeof value !== 'string' || value.length > textCharsMax[name])
      throw invalidField(name, `must be a string of at most ${textCharsMax[name]} characters`);
    return value;
  };
  return { method: text('method'), path: text('path'), authorization, address: text('address'), requestId: text('requestId') };
}
