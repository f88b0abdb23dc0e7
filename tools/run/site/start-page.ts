/** The start page: doors before the lists of docs/README.md. */
export function startPage(text: string): string {
  const body = text.replace(/^# .*\n/, '');
  return `---
layout: home
hero:
  name: Paycode
  text: Sell with ten digits
  tagline: A customer pays a code. Your server answers 200 within 45 seconds, or the customer gets the money back.
  actions:
    - theme: brand
      text: Your first payment
      link: /tutorials/first-payment
    - theme: alt
      text: Receive webhooks
      link: /tutorials/receive-webhooks
    - theme: alt
      text: API reference
      link: /api/
      target: _self
features:
  - title: Merchant or PSP
    details: Make codes, receive notifications, log in, try your receiver, go live.
    link: "#merchant-or-psp"
    linkText: Integrate
  - title: Operator
    details: Run Paycode in containers or on Kubernetes, connect a payment core, rotate keys, follow a runbook.
    link: "#operator"
    linkText: Operate
  - title: Developer of Paycode
    details: How it is built, why it is built so, what is promised, and what proves it.
    link: "#developer-of-paycode"
    linkText: Develop
---

${body}`;
}
