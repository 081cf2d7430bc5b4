"""What a spec is, once traced: slots with finite domains, decision trees, properties.

Reading order: `expr` (expressions over codes), `tree` (decisions and outcomes), `shape` (slots as variables), `model`.
"""
