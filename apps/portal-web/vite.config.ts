import { defineConfig } from 'vite';

/** The pages of the portal: served by it below /console/, nothing inline, nothing from elsewhere. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  build: {
    outDir: '../../dist/apps/portal/web',
    emptyOutDir: true,
    // An image written into a style sheet would be inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
  },
});
