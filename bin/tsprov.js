#!/usr/bin/env node
import { main } from '../dist/cli/watch.js';

await main(process.argv);
