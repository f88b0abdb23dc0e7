import type { NamedNotificationStatus } from '@paycode/dto';

/** How a payment on the page can end; a refund or reversal is no payment. */
export type PaymentStatus = Exclude<NamedNotificationStatus, 'REFUNDED' | 'REVERSED'> | 'TIMEOUT_PURCHASE';

/** Texts of the page. `{name}` is a placeholder. */
export interface Messages {
  /** The language's name in itself. */
  language: string;
  payTitle: string;
  amount: string;
  tip: string;
  tipOptional: string;
  total: string;
  reference: string;
  code: string;
  payBy: string;
  mobile: string;
  mobileHint: string;
  contact: string;
  firstName: string;
  lastName: string;
  emailAddress: string;
  phoneNumber: string;
  country: string;
  chooseCountry: string;
  pay: string;
  paying: string;
  qr: string;
  needsScript: string;
  used: string;
  expired: string;
  unknownTitle: string;
  unknown: string;
  sandbox: string;
  sandboxHint: string;
  outcome: string;
  receipt: string;
  paidTo: string;
  paidAt: string;
  transaction: string;
  keep: string;
  notPaid: string;
  noMoney: string;
  correct: string;
  tipForm: string;
  tipDecimals: string;
  tipNoDecimals: string;
  mobileForm: string;
  missing: string;
  emailForm: string;
  refusedField: string;
  noLongerPayable: string;
  tooMany: string;
  noAnswer: string;
  asking: string;
  returned: string;
  payAgain: string;
  refused: string;
  statuses: Readonly<Record<PaymentStatus, string>>;
}

export const english: Messages = {
  language: 'English',
  payTitle: 'Pay {merchant}',
  amount: 'Amount',
  tip: 'Tip',
  tipOptional: 'Tip in {currency} (optional)',
  total: 'Total',
  reference: 'Reference',
  code: 'Code',
  payBy: 'Pay by',
  mobile: 'Your mobile number',
  mobileHint: 'With the country: {example}',
  contact: 'Your details, for {merchant}',
  firstName: 'First name',
  lastName: 'Last name',
  emailAddress: 'E-mail address',
  phoneNumber: 'Phone number',
  country: 'Country',
  chooseCountry: 'Choose a country',
  pay: 'Pay {total}',
  paying: 'Paying {total}…',
  qr: 'QR code of this page, to pay with another device',
  needsScript: 'This page needs JavaScript.',
  used: 'This code was paid already.',
  expired: 'This code has expired. Ask the merchant for a new one.',
  unknownTitle: 'Unknown code',
  unknown: 'There is no such payment code. Check the address, or ask the merchant.',
  sandbox: 'Sandbox: no money moves',
  sandboxHint: 'Only who tests sees this box. It decides how the payment ends.',
  outcome: 'Outcome',
  receipt: 'Receipt',
  paidTo: 'You paid {total} to {merchant}.',
  paidAt: 'Paid at',
  transaction: 'Transaction',
  keep: 'Keep the transaction number: the merchant finds your payment by it.',
  notPaid: 'Not paid: {reason}',
  noMoney: 'No money was taken.',
  correct: 'Nothing was paid yet. Please correct what is marked.',
  tipForm: 'The tip must be an amount such as {example}.',
  tipDecimals: 'The tip may have {decimals} decimals at most in {currency}, such as {example}.',
  tipNoDecimals: 'The tip must be a whole number in {currency}, such as {example}.',
  mobileForm: 'The mobile number must have its country and 7 to 15 digits, such as {example}.',
  missing: '{label} is missing. The merchant needs all of these details.',
  emailForm: 'The e-mail address must look like name@example.com.',
  refusedField: '{label} was refused. Please check it.',
  noLongerPayable: 'This code cannot be paid any more: it was paid meanwhile, or has expired.',
  tooMany: 'Too many payments at this moment. Nothing was paid: please try again in a minute.',
  noAnswer: 'No answer came, and we could not find out whether you paid. Press again: you are not charged twice.',
  asking: 'No answer came. We are asking whether you paid…',
  returned: 'The merchant did not confirm your payment, so the money went back to you.',
  payAgain: 'Make another payment',
  refused: 'The payment was refused, and nothing was paid. The reason:',
  statuses: {
    SUCCESS: 'the payment succeeded.',
    BANK_REJECTED: 'the bank declined it.',
    BANK_OFFLINE: 'the bank cannot be reached.',
    CLIENT_CANCEL: 'you cancelled it.',
    CLIENT_TIMEOUT: 'it was not finished in time.',
    TRANSACTION_REJECTED: 'the transaction was rejected.',
    SYSTEM_ERROR: 'a system failed.',
    LIMIT_FAILED: 'it is above a limit.',
    HASH_CHECK_FAILED: 'a check of its data failed.',
    HASH_CHECK_MISSING: 'a check of its data is missing.',
    BANK_PAYMENT_CANCELLATION: 'the bank cancelled it.',
    DO_NOT_TRY_AGAIN: 'the bank refused it and forbids another try.',
    TRY_AGAIN_AFTER_X_HRS: 'the bank refused it and allows another try in some hours.',
    CARD_EXPRIY_NOT_ALLOWED: 'the expiry of the card is not allowed.',
    INTERNATIONAL_BIN_NOT_ALLOWED: 'cards from abroad are not allowed.',
    BIN_CLASSIFICATION_NOT_ALLOWED: 'this kind of card is not allowed.',
    TIMEOUT_PURCHASE: 'a step took too long.',
    FAILED: 'it failed for another reason.',
  },
};

export const spanish: Messages = {
  language: 'Español',
  payTitle: 'Pagar a {merchant}',
  amount: 'Importe',
  tip: 'Propina',
  tipOptional: 'Propina en {currency} (opcional)',
  total: 'Total',
  reference: 'Referencia',
  code: 'Código',
  payBy: 'Pagar antes de',
  mobile: 'Su número de móvil',
  mobileHint: 'Con el país: {example}',
  contact: 'Sus datos, para {merchant}',
  firstName: 'Nombre',
  lastName: 'Apellidos',
  emailAddress: 'Correo electrónico',
  phoneNumber: 'Teléfono',
  country: 'País',
  chooseCountry: 'Elija un país',
  pay: 'Pagar {total}',
  paying: 'Pagando {total}…',
  qr: 'Código QR de esta página, para pagar con otro dispositivo',
  needsScript: 'Esta página necesita JavaScript.',
  used: 'Este código ya está pagado.',
  expired: 'Este código ha caducado. Pida uno nuevo al comercio.',
  unknownTitle: 'Código desconocido',
  unknown: 'No existe ese código de pago. Compruebe la dirección o pregunte al comercio.',
  sandbox: 'Entorno de pruebas: no se mueve dinero',
  sandboxHint: 'Solo quien prueba ve este recuadro. Decide cómo termina el pago.',
  outcome: 'Resultado',
  receipt: 'Recibo',
  paidTo: 'Ha pagado {total} a {merchant}.',
  paidAt: 'Pagado el',
  transaction: 'Transacción',
  keep: 'Guarde el número de transacción: con él encuentra el comercio su pago.',
  notPaid: 'No pagado: {reason}',
  noMoney: 'No se ha cobrado nada.',
  correct: 'Todavía no se ha pagado nada. Corrija lo marcado.',
  tipForm: 'La propina debe ser un importe como {example}.',
  tipDecimals: 'La propina admite como máximo {decimals} decimales en {currency}, por ejemplo {example}.',
  tipNoDecimals: 'La propina debe ser un número entero en {currency}, por ejemplo {example}.',
  mobileForm: 'El móvil debe llevar el prefijo del país y de 7 a 15 cifras, por ejemplo {example}.',
  missing: 'Falta: {label}. El comercio necesita todos estos datos.',
  emailForm: 'El correo electrónico debe tener la forma nombre@example.com.',
  refusedField: '{label}: no se ha aceptado. Compruébelo.',
  noLongerPayable: 'Este código ya no se puede pagar: se ha pagado entretanto o ha caducado.',
  tooMany: 'Demasiados pagos en este momento. No se ha pagado nada: inténtelo de nuevo en un minuto.',
  noAnswer: 'No ha llegado respuesta y no sabemos si ha pagado. Pulse otra vez: no se le cobrará dos veces.',
  asking: 'No ha llegado respuesta. Estamos preguntando si ha pagado…',
  returned: 'El comercio no ha confirmado su pago, así que se le ha devuelto el dinero.',
  payAgain: 'Hacer otro pago',
  refused: 'El pago no se ha aceptado y no se ha pagado nada. El motivo:',
  statuses: {
    SUCCESS: 'el pago se ha realizado.',
    BANK_REJECTED: 'el banco lo ha rechazado.',
    BANK_OFFLINE: 'no se puede contactar con el banco.',
    CLIENT_CANCEL: 'usted lo ha cancelado.',
    CLIENT_TIMEOUT: 'no se ha terminado a tiempo.',
    TRANSACTION_REJECTED: 'la transacción se ha rechazado.',
    SYSTEM_ERROR: 'ha fallado un sistema.',
    LIMIT_FAILED: 'supera un límite.',
    HASH_CHECK_FAILED: 'una comprobación de sus datos ha fallado.',
    HASH_CHECK_MISSING: 'falta una comprobación de sus datos.',
    BANK_PAYMENT_CANCELLATION: 'el banco lo ha cancelado.',
    DO_NOT_TRY_AGAIN: 'el banco lo ha rechazado y no permite otro intento.',
    TRY_AGAIN_AFTER_X_HRS: 'el banco lo ha rechazado y permite otro intento dentro de unas horas.',
    CARD_EXPRIY_NOT_ALLOWED: 'la caducidad de la tarjeta no se admite.',
    INTERNATIONAL_BIN_NOT_ALLOWED: 'no se admiten tarjetas extranjeras.',
    BIN_CLASSIFICATION_NOT_ALLOWED: 'no se admite este tipo de tarjeta.',
    TIMEOUT_PURCHASE: 'un paso ha tardado demasiado.',
    FAILED: 'ha fallado por otro motivo.',
  },
};

/** The one catalogue: a further language is a constant above and a name here. */
export const catalogue = { en: english, es: spanish } as const satisfies Record<string, Messages>;
export type Language = keyof typeof catalogue;
export const languages = Object.keys(catalogue) as Language[];

/** `text` with its places `{name}` filled. */
export function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
}
