#!/usr/bin/env node
import { main } from '../dist/scaler/cli/main.js';

await main(process.argv);
