import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { startLanguage } from './language/language';
import { queryClient } from './queries';
import { router } from './router';

// The page's script comes beside the language and the person, whom the router waits for.
for (const { options } of router.getMatchedRoutes(router.latestLocation.pathname)[0]) void options.component?.preload?.();
await startLanguage();

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
