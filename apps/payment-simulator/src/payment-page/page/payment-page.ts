import type { CodeState, PaymentCode } from '../../codes';
import { countryCodes } from '../../transactions';
import { html, type Html } from './html';
import { outcomes } from './outcomes';

export interface PageContent {
  code: PaymentCode;
  state: CodeState;
  merchantName: string;
}

const contactFields = [
  ['firstName', 'First name'],
  ['lastName', 'Last name'],
  ['emailAddress', 'E-mail'],
  ['phoneNumber', 'Phone'],
] as const;

const notPayable: Record<Exclude<CodeState, 'LIVE'>, string> = {
  USED: 'This code was paid already.',
  EXPIRED: 'This code has expired.',
};

/** The page on which a person pays a code with a chosen outcome. */
export function paymentPage({ code, state, merchantName }: PageContent): string {
  return documentOf(
    `Pay ${merchantName}`,
    html`<h1>${merchantName}</h1>
      <p class="amount">${code.amount} ${code.currencyCode}</p>
      <p>${code.shortDescription} <span class="hint">${code.merchantReference} · code ${code.code}</span></p>
      ${state === 'LIVE' ? form(code) : html`<p id="result" data-state="refused">${notPayable[state]}</p>`}
      <img src="/public/qr/${code.code}" alt="QR code of this page" />
      <p class="hint">Sandbox: no money moves.</p>`,
  );
}

export function unknownCodePage(): string {
  return documentOf(
    'Unknown code',
    html`<h1>Unknown code</h1>
      <p>There is no such payment code.</p>`,
  );
}

function form(code: PaymentCode): Html {
  return html`<form id="pay">
      <label for="outcome">Outcome</label>
      <select id="outcome" name="outcome">
        ${outcomes.map(([state, words]) => html`<option value="${state}">${words}</option>`)}
      </select>
      ${field({ name: 'clientMsisdn', label: 'Your mobile number', value: '+27820000000', required: true })}
      ${code.requestTip ? field({ name: 'tipAmount', label: `Tip (${code.currencyCode})` }) : null}
      ${code.requestContact ? [...contactFields.map(([name, label]) => field({ name, label })), countryField()] : null}
      <button>Pay</button>
    </form>
    <p id="result" role="status"></p>
    <noscript>This page needs JavaScript.</noscript>
    <script src="/public/assets/pay.js"></script>`;
}

function field(options: { name: string; label: string; value?: string; required?: boolean }): Html {
  const { name, label, value = '', required = false } = options;
  return html`<label for="${name}">${label}</label>
    <input id="${name}" name="${name}" value="${value}" autocomplete="off" ${required ? html`required` : null} />`;
}

const countryNames = new Intl.DisplayNames('en', { type: 'region' });

function countryField(): Html {
  const countries = countryCodes.map(code => [code, countryNames.of(code)!] as const).sort(([, a], [, b]) => a.localeCompare(b));
  return html`<label for="country">Country</label>
    <select id="country" name="country">
      <option value=""></option>
      ${countries.map(([code, name]) => html`<option value="${code}">${name}</option>`)}
    </select>`;
}

function documentOf(title: string, body: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="stylesheet" href="/public/assets/pay.css" />
        <link rel="icon" href="/public/assets/icon.svg" />
      </head>
      <body>
        ${body}
      </body>
    </html>`.text;
}
