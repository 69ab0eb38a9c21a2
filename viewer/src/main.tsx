// First, so that each view can say otherwise.
import "./theme.css";
import "./base.css";

import { render } from "preact";
import { answerBy } from "./ask";
import { sourceInPage } from "./file/filesource";
import { refreshAbout } from "./page/about";
import { followProgram } from "./page/live";
import { followVerdict } from "./page/opening";
import { Page } from "./page/Page";
import { followTheme } from "./page/theme";

const sourceOfFile = sourceInPage();
if (sourceOfFile) answerBy(sourceOfFile);
followTheme();
followProgram();
followVerdict();
void refreshAbout();

const root = document.getElementById("page")!;
root.textContent = "";
render(<Page />, root);
