import type { ReactNode } from 'react';

/** Strokes of 24 by 24, by the path of the page that they stand for, or by what they mean. */
const strokes: Record<string, string> = {
  '/': 'M3 11.5 12 4l9 7.5V20a1 1 0 0 1-1 1h-5v-6H9v6H4a1 1 0 0 1-1-1z',
  '/payments': 'M3 7h18M3 12h18M3 17h10',
  '/merchants': 'M4 9l1-5h14l1 5M4 9v11h16V9M4 9a3 3 0 0 0 5.3 2 3.5 3.5 0 0 0 5.4 0A3 3 0 0 0 20 9M9 20v-5h6v5',
  '/till': 'M7 3h10a3 3 0 0 1 3 3v12a3 3 0 0 1-3 3H7a3 3 0 0 1-3-3V6a3 3 0 0 1 3-3zM8 7h8M8 12h.01M12 12h.01M16 12h.01M8 16h.01M12 16h.01M16 16h.01',
  '/statements': 'M6 3h9l4 4v14H6zM14 3v5h5M9 13h7M9 17h5',
  '/notifications': 'M5 4h14a2 2 0 0 1 2 2v3a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2zM5 13h14a2 2 0 0 1 2 2v3a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-3a2 2 0 0 1 2-2zM7 7.5h.01M7 16.5h.01',
  '/api': 'M12 15a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM11 12l9-9M17 6l3 3',
  '/sandbox': 'M9 3h6M10 3v6l-5.5 9.2A1.9 1.9 0 0 0 6.1 21h11.8a1.9 1.9 0 0 0 1.6-2.8L14 9V3',
  '/on-call': 'M3 12h4l3-8 4 16 3-8h4',
  '/alerts': 'M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4',
  '/people': 'M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 21v-1a7 7 0 0 1 14 0v1M16 3.5a4 4 0 0 1 0 7M18.5 14a7 7 0 0 1 3.5 6v1',
  '/security': 'M12 3 4.5 6v5.5c0 4.6 3.2 8 7.5 9.5 4.3-1.5 7.5-4.9 7.5-9.5V6z',
  menu: 'M4 6h16M4 12h16M4 18h16',
  alert: 'M12 3 2 20h20zM12 10v4M12 17h.01',
  good: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM8 12l3 3 5-6',
  pending: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 3',
}; // prettier-ignore

/** Stands beside words and says nothing more than they. */
export function Icon({ name }: { name: string }): ReactNode {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={strokes[name]} />
    </svg>
  );
}

export function Logo(): ReactNode {
  return (
    <svg width="26" height="26" viewBox="0 0 26 26" fill="none" stroke="var(--accent-ink)" strokeWidth="2" aria-hidden="true">
      <rect width="26" height="26" rx="7" fill="var(--accent)" stroke="none" />
      <path d="M7 7h5v5H7zM14 7h5v5h-5zM7 14h5v5H7zM14.5 16.6l1.8 1.9 3.4-3.7" strokeLinecap="round" />
    </svg>
  );
}
