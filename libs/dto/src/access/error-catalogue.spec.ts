import { errorCatalogue, errorCodeOf } from './error-catalogue';

describe('error catalogue', () => {
  it.each([
    ['R-7-1', 401, 'Bad Credentials', 'BAD_CREDENTIALS'],
    ['R-7-2', 401, 'Invalid or expired JWT token', 'TOKEN_EXPIRED'],
    ['R-7-3', 401, 'Invalid JWT token', 'TOKEN_MALFORMED'],
    ['R-7-4', 401, 'JWT Authentication disabled for this account', 'BEARER_DISABLED'],
    ['R-7-5', 403, 'Forbidden', 'FORBIDDEN'],
    ['R-7-6', 400, 'amount must be in the future', 'INVALID_REQUEST'],
    ['R-7-7', 400, 'URL validation failed: did not return 200', 'URL_ANSWER_NOT_200'],
    ['R-7-8', 400, "Merchant not in 'ACTIVE' state", 'MERCHANT_NOT_ACTIVE'],
    ['R-7-9', 400, "Invalid 'merchantId'", 'INVALID_MERCHANT_ID'],
    ['R-7-10', 400, 'Please set notification first', 'NOTIFICATION_NOT_SET'],
    ['R-7-11', 400, 'Valid types are EMAIL or SMS', 'INVALID_RECIPIENT_TYPE'],
    ['R-7-12', 406, 'Not Acceptable', 'MERCHANT_IS_NOTIFIED'],
    ['a message that goes on', 400, 'invalid path: dot segment', 'INVALID_PATH'],
    ['a message that no other kind of its status has', 429, 'Slow down', 'TOO_MANY_REQUESTS'],
    ['a status that nobody listed', 418, 'short and stout', 'REQUEST_REFUSED'],
    ['a fault that nobody listed', 507, 'full', 'INTERNAL_ERROR'],
  ] as const)('%s: %s %j has the code %s', (...[, status, message, code]) => {
    expect(errorCodeOf(status, message)).toBe(code);
  });

  it('no code has two meanings, and each has a remedy', () => {
    const codes = errorCatalogue.map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
    for (const { code, remedy } of errorCatalogue) expect([code, remedy]).toEqual([code, expect.stringMatching(/\.$/)]);
  });
});
