import type { DefaultTheme, Theme } from 'vitepress';
import { enhanceAppWithTabs } from 'vitepress-plugin-tabs/client';
import theme from 'vitepress/theme';

/** VitePress's settings, and the paths of the pages of each kind of reader: merchants and PSPs, operators, developers. */
export type SiteThemeConfig = DefaultTheme.Config & { readers: string[][] };

/** How much a search result counts, by its reader. Most readers who search integrate. */
const weights = [4, 1, 0.4];

/**
 * VitePress's theme with tabs, and with weights for search results. The weights are set in the browser: VitePress makes text of a function in its configuration,
 * and only `eval` makes a function of it again, which the security policy forbids.
 */
export const siteTheme: Theme = {
  extends: theme,
  enhanceApp({ app, siteData }) {
    enhanceAppWithTabs(app);
    const { base } = siteData.value;
    const themeConfig = siteData.value.themeConfig as SiteThemeConfig;
    const weightOf = (id: string): number => {
      const page = `/${id.slice(base.length).replace(/#.*/, '')}`;
      const isOn = (path: string): boolean => path === page || (path.endsWith('/') && path !== '/' && page.startsWith(path));
      return weights[themeConfig.readers.findIndex(paths => paths.some(isOn))] ?? 1;
    };
    themeConfig.search = { provider: 'local', options: { miniSearch: { searchOptions: { boostDocument: weightOf } } } };
  },
};
