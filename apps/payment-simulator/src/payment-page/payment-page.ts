import { decimalsOf, notificationStatusOf } from '@paycode/dto';
import type { CodeState, PaymentCode } from '../codes/domain/code';
import { countryCodes } from '../transactions/domain/country';
import { catalogue, filled, languages, type PaymentStatus } from './messages';
import { moneyFor, type Payer } from './payer';

/** TxStates that a person may choose on the payment page, so that every status of a purchase can be tried. */
export const outcomeStates = [
  'SUCCESS',
  'END_BANK_DECLINE',
  'END_INSUFFICIENT_FUNDS_OR_OVER_CREDIT_LIMIT',
  'END_BANK_OFFLINE',
  'END_CLIENT_CANCEL',
  'END_CLIENT_TIMEOUT',
  'END_LIMIT_FAILED',
  'END_NOTALLOW_BIN_CLASSIFICATION',
  'END_TIMEOUT_PURCHASE',
  'END_SYSTEM_ERROR',
  'END_INVALID_AMOUNT',
  'END_HASH_CHECK_FAILED',
  'END_HASH_CHECK_MISSING',
  'END_BANK_PAYMENT_CANCELLATION',
  'END_DO_NOT_TRY_AGAIN',
  'END_TRY_AGAIN_AFTER_X_HRS',
  'END_CARD_EXPRIY_NOT_ALLOWED',
  'END_INTERNATIONAL_BIN_NOT_ALLOWED',
  'END_FAILED',
] as const;

export type Outcome = (typeof outcomeStates)[number];

export interface PageContent {
  code: PaymentCode;
  state: CodeState;
  merchantName: string;
}

const exampleMobile = '+27 82 000 0000';

/** The page on which a person pays a code. Controls that only a tester needs stand in a box of their own. */
export function paymentPage({ code, state, merchantName }: PageContent, payer: Payer): string {
  const { messages } = payer;
  const isLive = state === 'LIVE';
  const main = html`<h1>${merchantName}</h1>
    <p class="amount before-payment">${moneyFor(payer, code.amount, code.currencyCode)}</p>
    ${code.shortDescription ? html`<p>${code.shortDescription}</p>` : null} ${facts(code, payer)}
    ${form({ code, state, merchantName }, payer)}
    ${isLive ? html`<img class="qr before-payment" src="/public/qr/${code.code}" alt="${messages.qr}" />` : null}`;
  const title = filled(messages.payTitle, { merchant: merchantName });
  return documentOf({ title, main, before: isLive ? sandboxBox(payer) : null }, payer);
}

export function unknownCodePage(payer: Payer): string {
  const { unknownTitle, unknown } = payer.messages;
  const main = html`<h1>${unknownTitle}</h1>
    <p>${unknown}</p>`;
  return documentOf({ title: unknownTitle, main, before: null }, payer);
}

/** The script writes the instant in the payer's zone; without it, it is UTC. */
function facts(code: PaymentCode, { messages, wordLocale }: Payer): Html {
  const expiresAt = code.expiresAtMs === null ? null : new Date(code.expiresAtMs);
  const inUtc = new Intl.DateTimeFormat(wordLocale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
  return html`<dl class="before-payment">
    <dt>${messages.reference}</dt>
    <dd>${code.merchantReference}</dd>
    <dt>${messages.code}</dt>
    <dd>${code.code}</dd>
    ${
      expiresAt
        ? html`<dt>${messages.payBy}</dt>
            <dd><time datetime="${expiresAt.toISOString()}">${inUtc.format(expiresAt)} UTC</time></dd>`
        : null
    }
  </dl>`;
}

function sandboxBox({ messages }: Payer): Html {
  return html`<aside class="sandbox before-payment" aria-labelledby="sandbox">
    <h2 id="sandbox">${messages.sandbox}</h2>
    <p class="hint">${messages.sandboxHint}</p>
    <label for="outcome">${messages.outcome}</label>
    <select id="outcome" name="outcome" form="pay" autocomplete="off">
      ${outcomeStates.map(state => {
        const meaning = messages.statuses[notificationStatusOf(state) as PaymentStatus];
        return html`<option value="${state}">${state} – ${meaning}</option>`;
      })}
    </select>
  </aside>`;
}

/** A code that is not payable has the form for its script alone: somebody whose answer was lost gets the receipt. */
function form({ code, state, merchantName }: PageContent, payer: Payer): Html {
  const { messages } = payer;
  const { currencyCode: currency } = code;
  const mobile = { name: 'clientMsisdn', label: messages.mobile, type: 'tel', autocomplete: 'tel', isRequired: true } as const;
  const mobileHint = filled(messages.mobileHint, { example: exampleMobile });
  return html`<form
      id="pay"
      novalidate
      ${state === 'LIVE' ? null : html`hidden`}
      data-words="${JSON.stringify(messages)}"
      data-number-locale="${payer.numberLocale}"
      data-word-locale="${payer.wordLocale}"
      data-amount="${code.amount}"
      data-currency="${currency}"
      data-decimals="${decimalsOf(currency)}"
      data-merchant="${merchantName}"
      data-reference="${code.merchantReference}"
      data-mobile="${exampleMobile}"
      ${code.useOnce ? html`data-once="true"` : null}
    >
      ${field({ ...mobile, value: '+27820000000', hint: mobileHint })} ${code.requestTip ? tipField(currency, payer) : null}
      ${
        code.requestContact
          ? html`<fieldset>
              <legend>${filled(messages.contact, { merchant: merchantName })}</legend>
              ${contactFields.map(contact => field({ ...contact, label: messages[contact.name], isRequired: true }))}
              ${countryField(payer)}
            </fieldset>`
          : null
      }
      <p class="total">${messages.total} <output id="total">${moneyFor(payer, code.amount, currency)}</output></p>
      <button>${filled(messages.pay, { total: moneyFor(payer, code.amount, currency) })}</button>
    </form>
    ${state === 'LIVE' ? html`<p id="result" role="status"></p>` : html`<p id="result" role="status" data-state="refused">${state === 'USED' ? messages.used : messages.expired}</p>`}
    <noscript>${messages.needsScript}</noscript>
    <script src="/public/assets/pay.js"></script>`;
}

function tipField(currency: string, { messages }: Payer): Html {
  const label = filled(messages.tipOptional, { currency });
  return field({ name: 'tipAmount', label, type: 'text', inputmode: 'decimal', autocomplete: 'off' });
}

function documentOf({ title, main, before }: { title: string; main: Html; before: Html | null }, payer: Payer): string {
  return html`<!doctype html>
    <html lang="${payer.language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="stylesheet" href="/public/assets/pay.css" />
        <link rel="icon" href="/public/assets/icon.svg" />
      </head>
      <body>
        ${before}
        <main>${main}</main>
        <footer class="before-payment">
          ${languages
            .filter(language => language !== payer.language)
            .map(language => html`<a href="?lang=${language}" lang="${language}">${catalogue[language].language}</a>`)}
        </footer>
      </body>
    </html>`.text;
}

export interface Field {
  name: string;
  label: string;
  /** Selects the keyboard of a phone. */
  type: 'text' | 'tel' | 'email';
  /** WCAG 1.3.5: lets browsers fill in the field. */
  autocomplete: string;
  inputmode?: 'decimal';
  value?: string;
  hint?: string;
  isRequired?: boolean;
}

export const contactFields = [
  { name: 'firstName', type: 'text', autocomplete: 'given-name' },
  { name: 'lastName', type: 'text', autocomplete: 'family-name' },
  { name: 'emailAddress', type: 'email', autocomplete: 'email' },
  { name: 'phoneNumber', type: 'tel', autocomplete: 'tel' },
] as const;

export function field({ name, label, type, autocomplete, inputmode, value = '', hint, isRequired = false }: Field): Html {
  const describedBy = hint ? `${name}-hint ${name}-problem` : `${name}-problem`;
  return html`<label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${value}"
      autocomplete="${autocomplete}"
      ${inputmode ? html`inputmode="${inputmode}"` : null}
      ${isRequired ? html`required` : null}
      aria-describedby="${describedBy}"
    />
    ${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : null} ${problemOf(name)}`;
}

export function countryField({ messages, wordLocale }: Payer): Html {
  const names = new Intl.DisplayNames(wordLocale, { type: 'region' });
  const countries = countryCodes
    .map(code => [code, names.of(code)!] as const)
    .sort(([, a], [, b]) => a.localeCompare(b, wordLocale));
  return html`<label for="country">${messages.country}</label>
    <select id="country" name="country" autocomplete="country" required aria-describedby="country-problem">
      <option value="">${messages.chooseCountry}</option>
      ${countries.map(([code, name]) => html`<option value="${code}">${name}</option>`)}
    </select>
    ${problemOf('country')}`;
}

const problemOf = (name: string): Html => html`<p class="problem" id="${name}-problem" data-of="${name}" hidden></p>`;

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text that is safe inside HTML text and quoted attributes. */
export class Html {
  constructor(readonly text: string) {}
}

type HtmlValue = Html | string | number | null | undefined | HtmlValue[];

/** Template tag: every value is escaped unless it is Html itself; lists are joined. */
export function html(parts: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return new Html(parts.reduce((text, part, at) => text + textOf(values[at - 1]) + part));
}

function textOf(value: HtmlValue): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(textOf).join('');
  return String(value ?? '').replace(/[&<>"']/g, character => entities[character]!);
}
