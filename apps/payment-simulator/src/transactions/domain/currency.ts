/** ISO 4217 codes in their one spelling, upper case (R-2.5-3). */
export const currencyCodes: readonly string[] = Intl.supportedValuesOf('currency');
