/** Sends the form as JSON (the gateway accepts no other body) and shows the answer. It calls no other origin. */
export const payScript = `'use strict';
const form = document.getElementById('pay');
const result = document.getElementById('result');
const value = name => form.elements[name] && form.elements[name].value.trim();
const contactFields = ['firstName', 'lastName', 'emailAddress', 'phoneNumber', 'country'];
class Refusal extends Error {}
function body() {
  const fields = ['"outcome":' + JSON.stringify(value('outcome')), '"clientMsisdn":' + JSON.stringify(value('clientMsisdn'))];
  const tip = (value('tipAmount') || '').replace(',', '.');
  if (tip !== '' && !/^[0-9]+([.][0-9]+)?$/.test(tip)) throw new Refusal('The tip must be an amount such as 5.50.');
  // A number by its digits: an amount never passes through a float.
  if (/[1-9]/.test(tip)) fields.push('"tipAmount":' + tip.replace(/^0+(?=[0-9])/, ''));
  if (form.elements.firstName) {
    const contact = Object.fromEntries(contactFields.map(name => [name, value(name) || '']));
    if (Object.values(contact).some(text => text !== '')) fields.push('"clientContact":' + JSON.stringify(contact));
  }
  return '{' + fields.join(',') + '}';
}
function show(state, text) {
  result.dataset.state = state;
  result.textContent = text;
}
form.addEventListener('submit', async event => {
  event.preventDefault();
  const button = form.querySelector('button');
  button.disabled = true;
  show('busy', 'Paying …');
  try {
    const answer = await fetch(location.pathname, { method: 'POST', headers: { 'content-type': 'application/json' }, body: body() });
    const data = await answer.json();
    if (answer.ok) show('done', 'Transaction ' + data.transactionId + ': ' + data.status);
    else show('refused', data.errors ? data.errors.map(problem => problem.field + ' ' + problem.message).join('; ') : data.message);
    if (!answer.ok || data.status !== 'SUCCESS') button.disabled = false;
  } catch (error) {
    show('refused', error instanceof Refusal ? error.message : 'No answer: please try again.');
    button.disabled = false;
  }
});
`;

export const payStyle = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 26rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; margin: 0; }
.amount { font-size: 2rem; font-weight: 600; margin: .25rem 0 1rem; }
label { display: block; margin: .75rem 0 .25rem; }
input, select, button { box-sizing: border-box; font: inherit; padding: .5rem; width: 100%; }
button { background: #0b5; border: 0; border-radius: .3rem; color: #fff; cursor: pointer; margin-top: 1.25rem; }
button:disabled { opacity: .5; }
img { background: #fff; display: block; height: 10rem; margin: 1.5rem auto 0; width: 10rem; }
[data-state='refused'] { color: #c22; }
[data-state='done'] { font-weight: 600; }
.hint { color: GrayText; font-size: .85rem; }
`;

export const payIcon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M1 1h6v6H1zm8 0h6v6H9zM1 9h6v6H1zm8 0h2v2H9zm4 4h2v2h-2z" fill="#0b5"/></svg>';
