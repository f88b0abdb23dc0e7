import './style.css';
import { askEarly } from './early';
import { applyTheme } from './theme';
import { startTimeZone } from './time-zone';

// Small, so that the first calls are on their way while the browser still reads the scripts that make the page.
void askEarly();
void import('./app');
applyTheme();
startTimeZone();
