export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const key = 'paycode-theme';

export function currentTheme(): Theme {
  const kept = localStorage.getItem(key);
  return themes.find(theme => theme === kept) ?? 'system';
}

/** The style sheet has a light and a dark value of each token. */
export function applyTheme(theme: Theme = currentTheme()): void {
  localStorage.setItem(key, theme);
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}
