// The commands of plans: find, check, run, simulate; and of choices.
#pragma once

#include <string>
#include <vector>

/// How they are used, for `kolam help`.
extern const char* const kPlanUsage;

void choices_command(const std::vector<std::string>& words);
void plan_command(const std::vector<std::string>& words);
/// Gives the exit status: 1 where the plan breaks a rule.
int check_plan_command(const std::vector<std::string>& words);
void run_plan_command(const std::vector<std::string>& words);
void simulate_plan_command(const std::vector<std::string>& words);
