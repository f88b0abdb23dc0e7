import type { ChangeNotice } from '@paycode/dto';
import type { EmailText } from './message';
import { escapedHtml, plainText } from './plain-text';

const changes: Record<ChangeNotice['kind'], string> = {
  URL_CHANGED: 'The notification URL was set or changed',
  KEY_CHANGED: 'The notification key was renewed',
  URL_REMOVED: 'The notification URL was removed',
};

const advice = 'If you did not expect this, contact support at once: notifications may be going elsewhere.';

/** Tells a merchant that somebody changed its notification URL or key (T-15). The text contains neither URL nor key. */
export function changeNoticeEmail(notice: Pick<ChangeNotice, 'kind' | 'merchantId' | 'actor' | 'occurredAt'>): EmailText {
  const headline = changes[notice.kind];
  const lines = [
    `Merchant: ${notice.merchantId}`,
    `Changed by: ${plainText(notice.actor, 100)}`,
    `At: ${plainText(notice.occurredAt, 40)}`,
  ];
  return {
    subject: `${headline}, merchant ${notice.merchantId}`,
    text: [headline, '', ...lines, '', advice, ''].join('\n'),
    html: `<!doctype html><html lang="en"><body><h1>${escapedHtml(headline)}</h1><ul>${lines.map(line => `<li>${escapedHtml(line)}</li>`).join('')}</ul><p>${escapedHtml(advice)}</p></body></html>`,
  };
}
