import { type ReactNode, useState } from 'react';
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
  // Some 400 options: they come when somebody wants them.
  const [zones, setZones] = useState([timeZone()]);
  const fill = () => setZones(timeZones());
  return (
    <select
      className="small"
      aria-label={t('Time zone')}
      value={timeZone()}
      onFocus={fill}
      onPointerDown={fill}
      onChange={event => void choose({ timeZone: event.target.value })}
    >
      {zones.map(zone => (
        <option key={zone}>{zone}</option>
      ))}
    </select>
  );
}
