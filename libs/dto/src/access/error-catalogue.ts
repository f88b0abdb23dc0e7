import { channels, validTypesText } from '../internal/routes.ts';

/** One kind of refusal, as `code` in the error body names it and as the reference page explains it. */
export interface ErrorKind {
  /** Stable: programs decide by it, `message` is for people. */
  code: string;
  status: number;
  /** The whole message, or its beginning when it ends in `…`. A kind without one is what its status otherwise means. */
  message?: string;
  /** Advice to the caller. */
  remedy: string;
}

const repeatLater = 'Repeat the request after the seconds that `Retry-After` names.';
const ownFault = 'A fault of the service. Repeat the request later; tell support the `requestId` when it stays.';

/** Every error that a caller can see. Literals of the specification (7) stay in `message`; `code` is beside them. */
export const errorCatalogue: readonly ErrorKind[] = [
  { code: 'INVALID_REQUEST', status: 400, remedy: '`errors` names each field and its rule. Correct the request.' },
  { code: 'INVALID_JSON', status: 400, message: 'body is not valid JSON', remedy: 'Send one JSON object in UTF-8.' },
  { code: 'INVALID_PATH', status: 400, message: 'invalid path…', remedy: 'Send the path as this document writes it.' },
  {
    code: 'INVALID_CLIENT_CHALLENGE',
    status: 400,
    message: "Invalid 'clientChallenge'",
    remedy: 'Encrypt 64 random bytes with the public key of the service, encode them in base64, then URL-encode the text.',
  },
  {
    code: 'INVALID_MERCHANT_ID',
    status: 400,
    message: "Invalid 'merchantId'",
    remedy: 'Name a merchant of your own account.',
  },
  {
    code: 'MERCHANT_NOT_ACTIVE',
    status: 400,
    message: "Merchant not in 'ACTIVE' state",
    remedy: 'Ask support to activate the merchant.',
  },
  {
    code: 'NOTIFICATION_NOT_SET',
    status: 400,
    message: 'Please set notification first',
    remedy: 'Call addHttp before renewKey.',
  },
  {
    code: 'INVALID_RECIPIENT_TYPE',
    status: 400,
    message: validTypesText,
    remedy: `Send ${channels.map(channel => `\`${channel}\``).join(' or ')} in upper case.`,
  },
  {
    code: 'TOO_MANY_RECIPIENTS',
    status: 400,
    message: 'a merchant has at most…',
    remedy: 'Remove a recipient before you add another.',
  },
  {
    code: 'URL_NOT_REACHABLE',
    status: 400,
    message: 'URL validation failed: not reachable',
    remedy: 'Check DNS, firewall and certificate: the URL must answer from the public internet within 10 seconds.',
  },
  {
    code: 'URL_REFUSES_POST',
    status: 400,
    message: 'URL validation failed: did not accept POST',
    remedy: 'Let the URL answer POST.',
  },
  {
    code: 'URL_ANSWER_NOT_200',
    status: 400,
    message: 'URL validation failed: did not return 200',
    remedy: 'Answer the body `{"result":"TEST"}` with status 200.',
  },
  {
    code: 'URL_NOT_ALLOWED',
    status: 400,
    message: 'URL validation failed: not allowed',
    remedy: 'Use https on port 443 or 8443 (the sandbox also takes http on 80 or 8080) and a public host name.',
  },
  {
    code: 'MERCHANT_REFERENCE_USED',
    status: 400,
    message: 'merchantReference was used for another code',
    remedy: 'A repeat of createCode needs the same content. Give another order another reference.',
  },
  {
    code: 'CODE_NOT_PAYABLE',
    status: 400,
    message: 'code cannot be paid any more',
    remedy: 'The code was used or has expired. Create another one.',
  },
  { code: 'BAD_CREDENTIALS', status: 401, message: 'Bad Credentials', remedy: 'Check user name and password.' },
  {
    code: 'TOKEN_EXPIRED',
    status: 401,
    message: 'Invalid or expired JWT token',
    remedy: 'Log in again: the token has expired, was replaced or was ended.',
  },
  {
    code: 'TOKEN_MALFORMED',
    status: 401,
    message: 'Invalid JWT token',
    remedy: 'Send `Authorization: Bearer <token>`; in the field `jwt` of renew and logout the token without `Bearer `.',
  },
  {
    code: 'BEARER_DISABLED',
    status: 401,
    message: 'JWT Authentication disabled for this account',
    remedy: 'Use Basic, or ask support to switch the account to Bearer.',
  },
  { code: 'FORBIDDEN', status: 403, remedy: 'The role of the account does not permit the path. Use another account.' },
  { code: 'NOT_FOUND', status: 404, remedy: 'There is no such thing, or it is not yours.' },
  { code: 'METHOD_NOT_ALLOWED', status: 405, remedy: 'Use a method that the header `Allow` names.' },
  {
    code: 'MERCHANT_IS_NOTIFIED',
    status: 406,
    remedy: 'The merchant has a notification URL, so queryRef is off. Read the notification instead.',
  },
  { code: 'REQUEST_TIMEOUT', status: 408, remedy: 'Send the request faster, or repeat it.' },
  { code: 'CONFLICT', status: 409, remedy: 'Read the present state, then decide.' },
  { code: 'BODY_TOO_LARGE', status: 413, remedy: 'Send a smaller body.' },
  { code: 'UNSUPPORTED_MEDIA_TYPE', status: 415, remedy: 'Send `Content-Type: application/json`.' },
  {
    code: 'TOO_MANY_URL_VALIDATIONS',
    status: 429,
    message: 'Too many URL validations',
    remedy: repeatLater,
  },
  { code: 'TOO_MANY_REQUESTS', status: 429, remedy: repeatLater },
  { code: 'REQUEST_REFUSED', status: 431, remedy: 'The request breaks a rule of HTTP or is too large. Correct it.' },
  { code: 'INTERNAL_ERROR', status: 500, remedy: ownFault },
  { code: 'NOT_IMPLEMENTED', status: 501, remedy: 'Use `Transfer-Encoding: chunked` or `Content-Length`.' },
  { code: 'UNAVAILABLE', status: 503, remedy: repeatLater },
];

/** The `code` of an error answer. Total: a status that the catalogue does not name is the caller's or the service's fault by its class. */
export function errorCodeOf(status: number, message: string): string {
  const sameStatus = errorCatalogue.filter(kind => kind.status === status);
  const found = sameStatus.find(kind => saysSo(kind, message)) ?? sameStatus.find(kind => kind.message === undefined);
  if (found) return found.code;
  return status < 500 ? 'REQUEST_REFUSED' : 'INTERNAL_ERROR';
}

function saysSo({ message }: ErrorKind, said: string): boolean {
  if (message === undefined) return false;
  return message.endsWith('…') ? said.startsWith(message.slice(0, -1)) : said === message;
}

/** Body of every error answer (decision "Error body"). */
export interface ErrorBody {
  /** ISO 8601 UTC. */
  timestamp: string;
  status: number;
  /** Reason phrase, e.g. `Bad Request`. */
  error: string;
  /** Message for people: the literals of the specification, verbatim. */
  message: string;
  /** Stable name for programs, from the error catalogue. A client treats an unknown one by the status alone. */
  code: string;
  /** Path of the request, without its query. */
  path: string;
  /** Also in the header `X-Request-Id`; support asks for it. */
  requestId: string;
  /** Validation problems, one per field and rule. */
  errors?: FieldError[];
}

export interface FieldError {
  field: string;
  message: string;
}
