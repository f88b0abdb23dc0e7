/**
 * Reads what a person typed, sends it as JSON (the gateway accepts no other body) and shows the receipt. It calls no other origin, and has
 * no words of its own: they come with the form, in the payer's language.
 */
export const payScript = String.raw`'use strict';
const form = document.getElementById('pay');
const result = document.getElementById('result');
const button = form.querySelector('button');
const words = JSON.parse(form.dataset.words);
const { currency, amount, merchant, numberLocale, wordLocale } = form.dataset;
const decimals = Number(form.dataset.decimals);
const answerMs = 60_000;
const repeatMs = 900_000;
const latin = { numberingSystem: 'latn' };
const contactFields = ['firstName', 'lastName', 'emailAddress', 'phoneNumber', 'country'];

const filled = (text, values) => text.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
const ownDecimals = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
const inMoney = new Intl.NumberFormat(numberLocale, { style: 'currency', currency, ...ownDecimals, ...latin });
const inDigits = new Intl.NumberFormat(numberLocale, { minimumFractionDigits: decimals, ...latin });
const inTime = new Intl.DateTimeFormat(wordLocale, { dateStyle: 'medium', timeStyle: 'short' });
const signs = new Intl.NumberFormat(numberLocale, latin).formatToParts(1234567.5);
const grouping = signs.find(part => part.type === 'group')?.value;
const tipExample = inDigits.format(decimals === 0 ? 5 : 5.5);

// Amounts are counted in the smallest unit of the currency, and never pass through a float.
const unitsOf = digits => {
  const [whole, fraction = ''] = digits.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
};
const money = units => {
  const digits = String(units).padStart(decimals + 1, '0');
  return inMoney.format(decimals === 0 ? digits : digits.slice(0, -decimals) + '.' + digits.slice(-decimals));
};

class Refusal extends Error {
  constructor(field, message) {
    super(message);
    this.field = field;
  }
}
const field = name => form.elements[name];
const text = name => field(name).value.trim();
const labelOf = name => form.querySelector('label[for=' + name + ']').textContent;

/** Keyboards of many scripts write digits of their own, with the decimal sign of Arabic between them. */
const latinOf = {};
for (const numberingSystem of 'arab arabext beng deva fullwide gujr guru khmr knda laoo mlym mymr orya tamldec telu thai tibt'.split(' ')) {
  const written = new Intl.NumberFormat('en', { numberingSystem, useGrouping: false }).format(9876543210);
  Array.from(written).forEach((digit, at) => { latinOf[digit] = String(9 - at); });
}
const numberText = name => text(name).replace(/\p{Nd}/gu, digit => latinOf[digit] ?? digit).replace('\u066B', '.').replaceAll('\u066C', '');

/** The digits of the tip, or null. Grouped as the payer's locale groups; else the decimals may follow a comma or a point. */
function tipDigits() {
  if (!field('tipAmount')) return null;
  let typed = numberText('tipAmount').replace(/[\s’']/g, '');
  if (typed === '') return null;
  const isGrouped = grouping === ',' ? /^\d{1,3}(,\d{2,3})*,\d{3}([.]\d+)?$/ : grouping === '.' ? /^\d{1,3}([.]\d{2,3})*[.]\d{3}(,\d+)?$/ : /(?!)/;
  if (isGrouped.test(typed)) typed = typed.split(grouping).join('');
  const digits = typed.replace(',', '.').replace(/^0+(?=\d)/, '');
  if (!/^\d{1,15}([.]\d+)?$/.test(digits)) throw new Refusal('tipAmount', filled(words.tipForm, { example: tipExample }));
  if ((digits.split('.')[1] ?? '').length > decimals)
    throw new Refusal('tipAmount', filled(decimals === 0 ? words.tipNoDecimals : words.tipDecimals, { decimals, currency, example: tipExample }));
  return /[1-9]/.test(digits) ? digits : null;
}
function mobile() {
  const number = numberText('clientMsisdn').replace('\uFF0B', '+').replace(/[\s()./-]/g, '');
  if (!/^[+]?[1-9]\d{6,14}$/.test(number)) throw new Refusal('clientMsisdn', filled(words.mobileForm, { example: form.dataset.mobile }));
  return number;
}
/** One part for each field: all or, for a payment that does not succeed, none. */
function contactParts(outcome) {
  if (!field('firstName') || (outcome !== 'SUCCESS' && contactFields.every(name => text(name) === ''))) return [];
  return contactFields.map(name => () => {
    const value = text(name);
    if (value === '') throw new Refusal(name, filled(words.missing, { label: labelOf(name) }));
    if (name === 'emailAddress' && !/^[^\s@]+@[^\s@]+$/.test(value)) throw new Refusal(name, words.emailForm);
    return [name, value];
  });
}
/** Every part that is right, after each that is wrong was marked. */
function collect(parts) {
  const refusals = [];
  const values = parts.map(part => {
    try {
      return part();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refusals.push(error);
    }
  });
  mark(refusals);
  return refusals.length === 0 ? values : null;
}
function mark(refusals) {
  for (const old of form.querySelectorAll('.problem')) {
    old.hidden = true;
    old.textContent = '';
    field(old.dataset.of).removeAttribute('aria-invalid');
  }
  for (const refusal of refusals) {
    const problem = document.getElementById(refusal.field + '-problem');
    problem.textContent = refusal.message;
    problem.hidden = false;
    field(refusal.field).setAttribute('aria-invalid', 'true');
  }
  if (refusals.length > 0) field(refusals[0].field).focus();
}
function show(state, ...lines) {
  result.dataset.state = state;
  result.replaceChildren(...lines);
}
function element(name, content, attributes = {}) {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(...[content].flat());
  return made;
}

/** Shows the receipt in place of the form, because the form would pay once more. */
function showReceipt({ transactionId, paidAmount, completedAt }) {
  const tip = unitsOf(paidAmount) - unitsOf(amount);
  const total = money(unitsOf(paidAmount));
  const facts = [
    [words.amount, money(unitsOf(amount))],
    ...(tip === 0n ? [] : [[words.tip, money(tip)]]),
    [words.total, total],
    [words.reference, form.dataset.reference],
    [words.paidAt, inTime.format(new Date(completedAt))],
    [words.transaction, String(transactionId)],
  ];
  const list = element('dl', facts.flatMap(([name, value]) => [element('dt', name), element('dd', value)]));
  const heading = element('h2', words.receipt, { id: 'receipt-title', tabIndex: -1 });
  const paid = element('p', filled(words.paidTo, { total, merchant }), { id: 'paid' });
  const more = form.hidden || form.dataset.once ? [] : [element('button', words.payAgain, { type: 'button', id: 'again', onclick: payAgain })];
  const receipt = element('section', [heading, paid, list, element('p', words.keep, { className: 'hint' }), ...more], { id: 'receipt' });
  receipt.setAttribute('aria-labelledby', heading.id);
  for (const gone of document.querySelectorAll('.before-payment')) gone.remove();
  result.remove();
  (form.isConnected ? form : slot).replaceWith(receipt);
  document.title = words.receipt + ' – ' + merchant;
  heading.focus();
}
/** A refusal of the platform. Its text is English; what the catalogue has words for is said in the page's language. */
function showRefusal(answer, data) {
  const named = (data.errors ?? []).map(problem => problem.field.split('.').pop()).filter(name => document.getElementById(name + '-problem'));
  if (named.length > 0) {
    mark(named.map(name => new Refusal(name, filled(words.refusedField, { label: labelOf(name) }))));
    show('refused', words.correct);
  } else if (data.code === 'CODE_NOT_PAYABLE') show('refused', words.noLongerPayable);
  else if (answer.status === 429) show('refused', words.tooMany);
  else show('refused', words.refused + ' ', element('span', String(data.message ?? answer.status), { lang: 'en' }));
}
/** The key of the payment that this browser has begun, over reloads; a browser that keeps nothing has it until then. */
const place = 'paycode ' + location.pathname;
let unkept = null;
const begun = {
  get() {
    try {
      return localStorage.getItem(place) ?? unkept;
    } catch {
      return unkept;
    }
  },
  set(key) {
    unkept = key;
    try {
      if (key === null) localStorage.removeItem(place);
      else localStorage.setItem(place, key);
    } catch {
      // The browser keeps nothing for this site.
    }
  },
};
const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('');
function payAgain() {
  begun.set(null);
  location.reload();
}
/** Null without an answer, or with one that is not the platform's. */
async function send(path, request) {
  try {
    const answer = await fetch(path, { ...request, signal: AbortSignal.timeout(answerMs) });
    return { answer, data: await answer.json() };
  } catch {
    return null;
  }
}
/** Shows what became of the payment. One that took no money is over: the next press is another payment. */
function showEnd(paid) {
  if (paid.status === 'SUCCESS') return showReceipt(paid);
  begun.set(null);
  if (paid.status === 'REVERSED') show('refused', words.returned);
  else show('refused', filled(words.notPaid, { reason: words.statuses[paid.status] ?? words.statuses.FAILED }), ' ', words.noMoney);
}
/** Whether the platform knows what became of the payment of that key; it is shown then, unless it is older than sinceMs. */
async function isKnown(key, sinceMs) {
  const reply = await send(location.pathname + '/payments/' + key, {});
  if (!reply?.answer.ok) return false;
  const ageMs = Date.parse(reply.answer.headers.get('date')) - Date.parse(reply.data.completedAt);
  if (ageMs > sinceMs) begun.set(null);
  else showEnd(reply.data);
  return true;
}
/** The form would pay once more, so it comes back only when nothing was paid. */
const slot = document.createElement('div');
async function showKept(key) {
  form.replaceWith(slot);
  await isKnown(key, repeatMs);
  if (slot.isConnected) slot.replaceWith(form);
}
async function askAgain(key) {
  show('busy', words.asking);
  for (const waitMs of [0, 1_000, 3_000]) {
    await new Promise(resolve => setTimeout(resolve, waitMs));
    if (await isKnown(key, Infinity)) return;
  }
  show('refused', words.noAnswer);
}
async function pay({ outcome, tip, number, person }) {
  const key = begun.get() ?? newKey();
  begun.set(key);
  const fields = ['"outcome":' + JSON.stringify(outcome), '"clientMsisdn":' + JSON.stringify(number), '"idempotencyKey":"' + key + '"'];
  if (tip !== null) fields.push('"tipAmount":' + tip);
  if (person !== null) fields.push('"clientContact":' + JSON.stringify(person));
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' + fields.join(',') + '}' };
  const reply = await send(location.pathname, request);
  if (reply === null || reply.answer.status >= 500) return askAgain(key);
  if (reply.answer.ok) showEnd(reply.data);
  else showRefusal(reply.answer, reply.data);
}

function total() {
  try {
    return money(unitsOf(amount) + unitsOf(tipDigits() ?? '0'));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return null;
  }
}
function showTotal() {
  const sum = total();
  document.getElementById('total').textContent = sum ?? '–';
  button.textContent = filled(words.pay, { total: sum ?? '' });
}
form.addEventListener('input', showTotal);
form.addEventListener('submit', async event => {
  event.preventDefault();
  const outcome = text('outcome');
  const values = collect([mobile, tipDigits, ...contactParts(outcome)]);
  if (!values) return show('refused', words.correct);
  const [number, tip, ...contact] = values;
  const person = contact.length > 0 ? Object.fromEntries(contact) : null;
  button.disabled = true;
  button.textContent = filled(words.paying, { total: total() });
  show('busy', '');
  await pay({ outcome, tip, number, person });
  if (!form.isConnected) return;
  button.disabled = false;
  showTotal();
});
for (const time of document.querySelectorAll('time')) time.textContent = inTime.format(new Date(time.dateTime));
// A browser keeps what was typed when the page is loaded again.
showTotal();
// The answer was lost, or the page was loaded again. A payer who comes back later to the code of a counter wants to pay once more.
if (begun.get() !== null) showKept(begun.get());
`;

/** Every colour has at least 4.5:1 on what it stands on, in both sets. */
export const payStyle = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif;
  --page: #f4f6f9; --surface: #fff; --text: #17202b; --dim: #55606e; --line: #7d8896; --main: #14693a; --on-main: #fff; --bad: #a81e1e; --test: #7a5200; }
@media (prefers-color-scheme: dark) {
  :root { --page: #0f141a; --surface: #18202a; --text: #e8edf3; --dim: #a7b3c1; --line: #7d8b9c; --main: #7fdca4; --on-main: #08210f; --bad: #ff9c9c; --test: #ffd070; }
}
*, ::before, ::after { box-sizing: border-box; }
body { background: var(--page); color: var(--text); margin: 0 auto; max-width: 30rem; padding: 1rem; }
main { background: var(--surface); border-radius: .75rem; padding: 1.25rem; }
h1 { font-size: 1.4rem; line-height: 1.25; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 0 0 .5rem; }
.amount { font-size: 2rem; font-weight: 600; line-height: 1.2; margin: .25rem 0 .75rem; overflow-wrap: anywhere; }
dl { display: grid; gap: .25rem 1rem; grid-template-columns: auto 1fr; margin: .75rem 0; }
dt { color: var(--dim); }
dd { margin: 0; overflow-wrap: anywhere; text-align: right; }
fieldset { border: 0; margin: 1.25rem 0 0; padding: 0; }
legend { font-weight: 600; padding: 0; }
label { display: block; font-weight: 500; margin: .75rem 0 .25rem; }
input, select, button { border: 1px solid var(--line); border-radius: .4rem; font: inherit; min-height: 2.75rem; padding: .5rem .6rem; width: 100%; }
input, select { background: var(--surface); color: var(--text); }
[aria-invalid='true'] { border: 2px solid var(--bad); }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px; }
.total { border-top: 1px solid var(--line); display: flex; font-size: 1.25rem; font-weight: 600; justify-content: space-between; margin: 1.25rem 0 .75rem; padding-top: .75rem; }
button { background: var(--main); border: 0; color: var(--on-main); cursor: pointer; font-weight: 600; }
button:disabled { cursor: progress; opacity: .7; }
p { margin: .5rem 0; }
.problem, [data-state='refused'] { color: var(--bad); font-weight: 500; }
.problem { margin: .25rem 0 0; }
[hidden], #result:empty { display: none; }
.hint { color: var(--dim); font-size: .875rem; margin: .25rem 0 0; }
.sandbox { border: 2px dashed var(--test); border-radius: .75rem; margin-bottom: 1rem; padding: .75rem 1.25rem; }
.sandbox h2 { color: var(--test); font-size: 1rem; margin: 0; }
.qr { background: #fff; display: block; height: 10rem; margin: 1.25rem auto 0; width: 10rem; }
footer { margin-top: 1rem; text-align: center; }
footer a { color: inherit; display: inline-block; padding: .25rem .5rem; }
@media (max-width: 40rem), (pointer: coarse) { .qr { display: none; } }
@media print { .sandbox, .qr, footer { display: none; } }
`;

export const payIcon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M1 1h6v6H1zm8 0h6v6H9zM1 9h6v6H1zm8 0h2v2H9zm4 4h2v2h-2z" fill="#0b5"/></svg>';
