import { type ReactNode, useEffect, useState } from 'react';
import { timeZone, timeZones } from '../time-zone';
import { currentLanguage, type Language, languages, t } from './language';
import { choose } from './reading';

export function LanguageChoice(): ReactNode {
  return (
    <select
      className="small"
      aria-label={t('The portal speaks')}
      value={currentLanguage()}
      onChange={event => void choose({ language: event.target.value as Language })}
    >
      {Object.entries(languages).map(([tag, name]) => (
        <option key={tag} value={tag} lang={tag}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** Of the times that are shown and typed, and of the days on Home and in statements. */
export function TimeZoneChoice(): ReactNode {
  // Some 400 options: they come after the first paint.
  const [zones, setZones] = useState([timeZone()]);
  useEffect(() => setZones(timeZones()), []);
  return (
    <select
      className="small"
      aria-label={t('Time zone')}
      value={timeZone()}
      onChange={event => void choose({ timeZone: event.target.value })}
    >
      {zones.map(zone => (
        <option key={zone}>{zone}</option>
      ))}
    </select>
  );
}
