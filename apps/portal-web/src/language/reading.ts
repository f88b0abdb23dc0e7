import { call } from '../api';
import type { ShownPerson } from '../portal-api';
import { meQuery, queryClient } from '../queries';
import { keepTimeZone, timeZone } from '../time-zone';
import { currentLanguage, keepLanguage, type Language } from './language';

interface Reading {
  language: Language;
  timeZone: string;
}

const ofBrowser = (): Reading => ({ language: currentLanguage(), timeZone: timeZone() });
/** Pages and mails of a person whose choice could not be stored stay as they were. */
const store = (reading: Reading) => call('POST /session/reading', { body: reading }).catch(() => undefined);

/** Pages read their texts once, so that each of them is in one language: it loads the page again. */
export async function choose(chosen: Partial<Reading>): Promise<void> {
  if (chosen.language) keepLanguage(chosen.language);
  if (chosen.timeZone) keepTimeZone(chosen.timeZone);
  if (queryClient.getQueryData(meQuery.queryKey)?.stage === 'FULL') await store({ ...ofBrowser(), ...chosen });
  location.reload();
}

let settledFor: string | undefined;

/** The choice that the person made in another browser counts in this one, too; somebody without a choice gets what this browser has. */
export async function settleReading({ personId, language, timeZone: zone }: ShownPerson['person']): Promise<void> {
  if (settledFor === personId) return;
  settledFor = personId;
  if (language === null || zone === null) return void store(ofBrowser());
  const isOther = language !== currentLanguage() || zone !== timeZone();
  // A browser that cannot keep or does not know them shows its own, once.
  const areNew = [keepLanguage(language), keepTimeZone(zone)].includes(true);
  if (!isOther || !areNew) return;
  location.reload();
  await new Promise(() => undefined);
}
