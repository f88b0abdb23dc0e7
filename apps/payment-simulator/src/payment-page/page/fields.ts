import { countryCodes } from '../../transactions';
import { html, type Html } from './html';
import type { Payer } from './payer';

export interface Field {
  name: string;
  label: string;
  /** What a phone's keyboard follows. */
  type: 'text' | 'tel' | 'email';
  /** WCAG 1.3.5: what browsers fill in by themselves. */
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
